#include <utility>

#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

bool another_may_help(const Result<LlmResponse>& result) {
  if (result) return false;
  const auto code = result.error().code;
  return code == ErrorCode::unavailable || code == ErrorCode::denied || code == ErrorCode::not_found;
}

class FallbackLlmClient final : public LlmClient {
 public:
  FallbackLlmClient(std::shared_ptr<LlmClient> first, std::shared_ptr<LlmClient> second)
      : first_(required(std::move(first))), second_(required(std::move(second))) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    auto result = complete_safely(*first_, request, call);
    return another_may_help(result) ? complete_safely(*second_, request, call) : result;
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    auto results = complete_all_safely(*first_, requests, call);
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (another_may_help(results[i])) failed.push_back(i);
    }
    if (failed.empty()) return results;
    auto others = complete_all_safely(*second_, requests_at(requests, failed), call);
    for (std::size_t i = 0; i < failed.size(); ++i) results[failed[i]] = std::move(others[i]);
    return results;
  }

 private:
  const std::shared_ptr<LlmClient> first_;
  const std::shared_ptr<LlmClient> second_;
};

}  // namespace

std::unique_ptr<LlmClient> make_fallback_llm_client(std::shared_ptr<LlmClient> first,
                                                    std::shared_ptr<LlmClient> second) {
  return std::make_unique<FallbackLlmClient>(std::move(first), std::move(second));
}

}  // namespace ctxmgr
