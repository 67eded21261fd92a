#include "ctxmgr/ports/llm_client.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace ctxmgr {
namespace {

constexpr std::size_t default_max_parallel = 8;

Result<LlmResponse> complete_safely(LlmClient& client, const LlmRequest& request, const CallOptions& call) {
  try {
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "cancelled before the model was called");
    return client.complete(request, call);
  } catch (...) {  // What was thrown may hold content or secrets, so it is not passed on.
    return fail(ErrorCode::internal, "the LLM client threw an exception");
  }
}

/// Runs `work` in up to `threads` threads, of which the calling one is the last: where the system has no threads left,
/// it does everything itself.
template <class Work>
void run_in_threads(std::size_t threads, const Work& work) {
  std::vector<std::thread> started;
  started.reserve(threads);
  try {
    while (started.size() + 1 < threads) started.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
  for (auto& thread : started) thread.join();
}

std::vector<Result<LlmResponse>> complete_in_threads(LlmClient& client, const std::vector<LlmRequest>& requests,
                                                     const CallOptions& call, std::size_t max_parallel) {
  std::vector<Result<LlmResponse>> results(requests.size(), Result<LlmResponse>(LlmResponse{}));
  std::atomic<std::size_t> next{0};
  run_in_threads(std::min(max_parallel, requests.size()), [&] {
    for (auto i = next.fetch_add(1); i < requests.size(); i = next.fetch_add(1)) {
      results[i] = complete_safely(client, requests[i], call);
    }
  });
  return results;
}

class CallableLlmClient final : public LlmClient {
 public:
  using Complete = std::function<Result<LlmResponse>(const LlmRequest&, const CallOptions&)>;

  CallableLlmClient(Complete complete, std::size_t max_parallel)
      : complete_(std::move(complete)), max_parallel_(std::max<std::size_t>(max_parallel, 1)) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    try {
      return complete_(request, call);
    } catch (...) {
      return fail(ErrorCode::internal, "the function behind the LLM client threw an exception");
    }
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    return complete_in_threads(*this, requests, call, max_parallel_);
  }

 private:
  const Complete complete_;
  const std::size_t max_parallel_;
};

}  // namespace

LlmClient::~LlmClient() = default;

std::vector<Result<LlmResponse>> LlmClient::complete_all(const std::vector<LlmRequest>& requests,
                                                         const CallOptions& call) {
  return complete_in_threads(*this, requests, call, default_max_parallel);
}

std::unique_ptr<LlmClient> make_llm_client(
    std::function<Result<LlmResponse>(const LlmRequest&, const CallOptions&)> complete, std::size_t max_parallel) {
  return std::make_unique<CallableLlmClient>(std::move(complete), max_parallel);
}

}  // namespace ctxmgr
