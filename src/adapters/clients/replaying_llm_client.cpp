#include <fstream>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "adapters/clients/cassette.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"

namespace ctxmgr {
namespace {

/// The replies to equal requests.
struct Take {
  std::vector<Result<LlmResponse>> results;
  std::size_t next = 0;
};

using Cassette = std::unordered_map<std::string, Take>;

class ReplayingLlmClient final : public LlmClient {
 public:
  explicit ReplayingLlmClient(Cassette cassette) : cassette_(std::move(cassette)) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    if (call.cancellation.is_cancelled()) return fail(ErrorCode::cancelled, "cancelled by the caller");
    const auto key = cassette_key(request);
    const std::lock_guard lock(mutex_);
    const auto found = cassette_.find(key);
    if (found == cassette_.end()) return fail(ErrorCode::not_found, "the cassette does not hold this request");
    auto& take = found->second;
    const auto& result = take.results[take.next];
    if (take.next + 1 < take.results.size()) ++take.next;
    return result;
  }

  /// One after the other, so that equal requests get their replies in order.
  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    std::vector<Result<LlmResponse>> results;
    results.reserve(requests.size());
    for (const auto& request : requests) results.push_back(complete(request, call));
    return results;
  }

 private:
  std::mutex mutex_;
  Cassette cassette_;
};

}  // namespace

Result<std::unique_ptr<LlmClient>> make_replaying_llm_client(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::invalid_argument, "the cassette cannot be opened");
  Cassette cassette;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.empty()) continue;
    auto line = read_cassette_line(text);
    if (!line && file.eof()) break;  // Half a line: whoever recorded it was interrupted.
    if (!line) {
      return fail(ErrorCode::invalid_argument,
                  "line " + std::to_string(number) + " of the cassette: " + line.error().message);
    }
    cassette[std::move(line->key)].results.push_back(std::move(line->result));
  }
  if (file.bad()) return fail(ErrorCode::invalid_argument, "the cassette cannot be read");
  return std::make_unique<ReplayingLlmClient>(std::move(cassette));
}

}  // namespace ctxmgr
