#include "ctxmgr/testing/scripted_llm_client.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace ctxmgr::testing {

struct ScriptedLlmClient::Impl {
  mutable std::mutex mutex;
  std::deque<Result<LlmResponse>> script;
  std::vector<LlmRequest> requests;

  void then(Result<LlmResponse> result) {
    const std::lock_guard lock(mutex);
    script.push_back(std::move(result));
  }
};

ScriptedLlmClient::ScriptedLlmClient() : impl_(std::make_unique<Impl>()) {}
ScriptedLlmClient::~ScriptedLlmClient() = default;

ScriptedLlmClient& ScriptedLlmClient::then_reply(std::string text) {
  LlmResponse response;
  response.message.role = Role::assistant;
  response.message.content = std::move(text);
  response.usage.calls = 1;
  return then_reply(std::move(response));
}

ScriptedLlmClient& ScriptedLlmClient::then_reply(LlmResponse response) {
  impl_->then(std::move(response));
  return *this;
}

ScriptedLlmClient& ScriptedLlmClient::then_fail(Error error) {
  impl_->then(tl::unexpected<Error>(std::move(error)));
  return *this;
}

std::vector<LlmRequest> ScriptedLlmClient::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

Result<LlmResponse> ScriptedLlmClient::complete(const LlmRequest& request, const CallOptions& call) {
  const bool is_cancelled = call.cancellation.is_cancelled();
  const std::lock_guard lock(impl_->mutex);
  impl_->requests.push_back(request);
  if (is_cancelled) return fail(ErrorCode::cancelled, "cancelled by the caller");
  if (impl_->script.empty()) return fail(ErrorCode::unavailable, "the script has no further reply");
  auto result = std::move(impl_->script.front());
  impl_->script.pop_front();
  return result;
}

std::vector<Result<LlmResponse>> ScriptedLlmClient::complete_all(const std::vector<LlmRequest>& requests,
                                                                 const CallOptions& call) {
  std::vector<Result<LlmResponse>> results;
  results.reserve(requests.size());
  for (const auto& request : requests) results.push_back(complete(request, call));
  return results;
}

}  // namespace ctxmgr::testing
