#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "ctxmgr/engine/context_build.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr::engine {

/// Makes all calls at the same time and hands each reply on. A client that throws, or gives too few replies, gives
/// errors.
void answer_all(LlmClient& client, const std::vector<PendingCall>& calls, const CallOptions& call,
                const std::function<void(std::size_t id, Result<LlmResponse>)>& reply);

}  // namespace ctxmgr::engine
