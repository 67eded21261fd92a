#include "ctxmgr/adapters/bpe_encoding.hpp"

#include <array>
#include <fstream>
#include <utility>

#include "adapters/bpe/embedded.hpp"
#include "adapters/bpe/tokenizer.hpp"
#include "adapters/bpe/vocabulary_file.hpp"

namespace ctxmgr {

struct BpeEncoding::Impl {
  std::string name;
  bpe::Tokenizer tokenizer;
  bpe::TokenIds ids;
};

BpeEncoding::BpeEncoding(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<BpeEncoding> BpeEncoding::load(std::string_view name) {
  auto tokenizer = bpe::load_embedded(name);
  if (!tokenizer) return tl::unexpected(std::move(tokenizer).error());
  return BpeEncoding(std::make_shared<const Impl>(Impl{std::string(name), *std::move(tokenizer), {}}));
}

Result<BpeEncoding> BpeEncoding::parse(std::string_view content, std::string name) {
  auto parsed = bpe::parse_vocabulary_file(content, name);
  if (!parsed) return tl::unexpected(std::move(parsed).error());
  return BpeEncoding(
      std::make_shared<const Impl>(Impl{std::move(name), std::move(parsed->tokenizer), std::move(parsed->ids)}));
}

Result<BpeEncoding> BpeEncoding::load_file(const std::string& path, std::string name) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::not_found, "vocabulary: the file cannot be opened");
  std::string content;
  std::array<char, 1 << 16> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0)
    content.append(block.data(), static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return fail(ErrorCode::not_found, "vocabulary: the file cannot be read");
  return parse(content, std::move(name));
}

const std::string& BpeEncoding::name() const { return impl_->name; }

std::size_t BpeEncoding::vocabulary_size() const { return impl_->tokenizer.vocabulary.size(); }

std::int64_t BpeEncoding::count(std::string_view text) const { return impl_->tokenizer.count(text); }

std::int64_t BpeEncoding::count_up_to(std::string_view text, std::int64_t limit) const {
  return impl_->tokenizer.count(text, limit);
}

std::vector<TokenId> BpeEncoding::encode(std::string_view text) const {
  auto tokens = impl_->tokenizer.encode(text);
  for (auto& token : tokens) token = impl_->ids.id_of(token);
  return tokens;
}

Result<std::string> BpeEncoding::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  for (const TokenId token : tokens) {
    const bpe::Rank rank = impl_->ids.rank_of(token);
    if (rank >= vocabulary_size()) return fail(ErrorCode::invalid_argument, "decode: a token is not in the vocabulary");
    text += impl_->tokenizer.vocabulary.text_of(rank);
  }
  return text;
}

}  // namespace ctxmgr
