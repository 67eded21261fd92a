#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/built_context.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr::engine {

/// Who hears of model calls, if anybody, and whose they are.
struct CallListener {
  Observer* observer = nullptr;
  std::string_view scope{};
};

/// Makes all calls at the same time; the i-th reply answers the i-th request. A client that throws, or gives too few
/// replies, gives errors.
[[nodiscard]] std::vector<Result<LlmResponse>> ask_all(LlmClient& client, const std::vector<LlmRequest>& requests,
                                                       const CallOptions& call, const CallListener& listener);

/// The same for the calls of a build, handing each reply on.
void answer_all(LlmClient& client, const std::vector<PendingCall>& calls, const CallOptions& call,
                const CallListener& listener, const std::function<void(std::size_t id, Result<LlmResponse>)>& reply);

}  // namespace ctxmgr::engine
