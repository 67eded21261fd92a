#include "engine/summaries/client_calls.hpp"

#include <utility>

#include "ports/guarded.hpp"

namespace ctxmgr::engine {
namespace {

std::string_view name_of(LlmPurpose purpose) {
  return purpose == LlmPurpose::context_planning ? "context_planning"
         : purpose == LlmPurpose::summarization  ? "summarization"
                                                 : "host";
}

void tell(const CallListener& listener, const LlmRequest& request, const Result<LlmResponse>& response) {
  if (listener.observer == nullptr) return;
  (void)guarded([&]() -> Result<void> {
    listener.observer->on_event({EventKind::llm_call,
                                 listener.scope,
                                 {{"purpose", name_of(request.purpose)},
                                  {"model", std::string_view(request.model)},
                                  {"prompt_tokens", response ? response->usage.prompt_tokens : 0},
                                  {"completion_tokens", response ? response->usage.completion_tokens : 0},
                                  {"error", response ? std::string_view() : to_string(response.error().code)}}});
    return {};
  });
}

}  // namespace

std::vector<Result<LlmResponse>> ask_all(LlmClient& client, const std::vector<LlmRequest>& requests,
                                         const CallOptions& call, const CallListener& listener) {
  std::vector<Result<LlmResponse>> responses;
  if (requests.empty()) return responses;
  Error missing{ErrorCode::internal, "the client gave no reply", {}};
  try {
    responses = client.complete_all(requests, call);
  } catch (...) {
    missing.message = "the client threw an exception";
  }
  responses.resize(requests.size(), tl::unexpected(missing));
  for (std::size_t i = 0; i < requests.size(); ++i) tell(listener, requests[i], responses[i]);
  return responses;
}

void answer_all(LlmClient& client, const std::vector<PendingCall>& calls, const CallOptions& call,
                const CallListener& listener, const std::function<void(std::size_t id, Result<LlmResponse>)>& reply) {
  std::vector<LlmRequest> requests;
  for (const auto& pending : calls) requests.push_back(pending.request);
  auto responses = ask_all(client, requests, call, listener);
  for (std::size_t i = 0; i < calls.size(); ++i) reply(calls[i].id, std::move(responses[i]));
}

}  // namespace ctxmgr::engine
