#include <array>
#include <mutex>
#include <utility>

#include "adapters/clients/safe_calls.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {

struct CostMeter::Impl {
  struct Sum {
    UsageMetadata usage{};
    CostMetadata cost{};
  };

  mutable std::mutex mutex;
  std::array<Sum, 3> sums;  // By purpose.

  [[nodiscard]] Sum of(LlmPurpose purpose) const {
    const std::lock_guard lock(mutex);
    return sums.at(static_cast<std::size_t>(purpose));
  }

  [[nodiscard]] Sum total() const {
    const std::lock_guard lock(mutex);
    Sum total;
    for (const auto& sum : sums) {
      total.usage = total.usage + sum.usage;
      total.cost.prompt_cost_usd += sum.cost.prompt_cost_usd;
      total.cost.completion_cost_usd += sum.cost.completion_cost_usd;
    }
    return total;
  }
};

CostMeter::CostMeter() : impl_(std::make_unique<Impl>()) {}
CostMeter::~CostMeter() = default;

UsageMetadata CostMeter::usage() const { return impl_->total().usage; }
UsageMetadata CostMeter::usage(LlmPurpose purpose) const { return impl_->of(purpose).usage; }
CostMetadata CostMeter::cost() const { return impl_->total().cost; }
CostMetadata CostMeter::cost(LlmPurpose purpose) const { return impl_->of(purpose).cost; }

void CostMeter::add(LlmPurpose purpose, const UsageMetadata& usage, const CostMetadata& cost) {
  const std::lock_guard lock(impl_->mutex);
  auto& sum = impl_->sums.at(static_cast<std::size_t>(purpose));
  sum.usage = sum.usage + usage;
  sum.cost.prompt_cost_usd += cost.prompt_cost_usd;
  sum.cost.completion_cost_usd += cost.completion_cost_usd;
}

namespace {

class MeteredLlmClient final : public LlmClient {
 public:
  MeteredLlmClient(std::shared_ptr<LlmClient> inner, std::shared_ptr<CostMeter> meter, ModelCatalog catalog)
      : inner_(required(std::move(inner))),
        meter_(meter ? std::move(meter) : std::make_shared<CostMeter>()),
        catalog_(std::move(catalog)) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    auto result = complete_safely(*inner_, request, call);
    add(request, result);
    return result;
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    auto results = complete_all_safely(*inner_, requests, call);
    for (std::size_t i = 0; i < results.size(); ++i) add(requests[i], results[i]);
    return results;
  }

 private:
  void add(const LlmRequest& request, const Result<LlmResponse>& result) {
    if (!result) return;
    auto model = catalog_.find(result->model);
    if (!model.known) model = catalog_.find(request.model);
    meter_->add(request.purpose, result->usage, cost_of(result->usage, model));
  }

  const std::shared_ptr<LlmClient> inner_;
  const std::shared_ptr<CostMeter> meter_;
  const ModelCatalog catalog_;
};

}  // namespace

std::unique_ptr<LlmClient> make_metered_llm_client(std::shared_ptr<LlmClient> inner, std::shared_ptr<CostMeter> meter,
                                                   ModelCatalog catalog) {
  return std::make_unique<MeteredLlmClient>(std::move(inner), std::move(meter), std::move(catalog));
}

}  // namespace ctxmgr
