#include <utility>

#include "ctxmgr/adapters/bpe_encoding.hpp"

namespace ctxmgr {
namespace {

class BpeTokenCounter final : public TokenCounter {
 public:
  explicit BpeTokenCounter(BpeEncoding encoding) : encoding_(std::move(encoding)) {}

  /// The usual framing is that of the models which have these vocabularies.
  TokenCounterInfo info() const override {
    const auto& name = encoding_.name();
    return {name, true, false, name == "o200k_base" || name == "cl100k_base"};
  }
  std::int64_t count(std::string_view text) const override { return encoding_.count(text); }
  std::int64_t count_up_to(std::string_view text, std::int64_t limit) const override {
    return encoding_.count_up_to(text, limit);
  }

 private:
  BpeEncoding encoding_;
};

}  // namespace

Result<std::unique_ptr<TokenCounter>> make_bpe_token_counter(std::string_view tokenizer) {
  auto encoding = BpeEncoding::load(tokenizer);
  if (!encoding) return tl::unexpected(std::move(encoding).error());
  return make_bpe_token_counter(*std::move(encoding));
}

std::vector<std::shared_ptr<TokenCounter>> exact_counters() {
  std::vector<std::shared_ptr<TokenCounter>> counters;
  for (const std::string_view name : {"o200k_base", "cl100k_base"}) {
    if (auto counter = make_bpe_token_counter(name)) counters.push_back(std::move(*counter));
  }
  return counters;
}

std::unique_ptr<TokenCounter> make_bpe_token_counter(BpeEncoding encoding) {
  return std::make_unique<BpeTokenCounter>(std::move(encoding));
}

}  // namespace ctxmgr
