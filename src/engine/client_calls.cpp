#include "engine/client_calls.hpp"

#include <utility>

namespace ctxmgr::engine {

void answer_all(LlmClient& client, const std::vector<PendingCall>& calls, const CallOptions& call,
                const std::function<void(std::size_t id, Result<LlmResponse>)>& reply) {
  std::vector<LlmRequest> requests;
  for (const auto& pending : calls) requests.push_back(pending.request);
  std::vector<Result<LlmResponse>> responses;
  Error missing{ErrorCode::internal, "the client gave no reply", {}};
  try {
    responses = client.complete_all(requests, call);
  } catch (...) {
    missing.message = "the client threw an exception";
  }
  responses.resize(calls.size(), tl::unexpected(missing));
  for (std::size_t i = 0; i < calls.size(); ++i) reply(calls[i].id, std::move(responses[i]));
}

}  // namespace ctxmgr::engine
