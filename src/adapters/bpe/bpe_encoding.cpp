#include "ctxmgr/adapters/bpe_encoding.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "adapters/bpe/embedded.hpp"
#include "adapters/bpe/normal_form.hpp"
#include "adapters/bpe/tokenizer.hpp"
#include "adapters/bpe/vocabulary_file.hpp"

namespace ctxmgr {

struct BpeEncoding::Impl {
  std::string name;
  bpe::Tokenizer tokenizer;
  bpe::TokenIds ids;
};

namespace {

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The first place at or before `pos` where a character begins; the text is UTF-8.
std::size_t character_before(std::string_view text, std::size_t pos) {
  while (pos > 0 && pos < text.size() && continues_a_character(text[pos])) --pos;
  return pos;
}

std::size_t character_after(std::string_view text, std::size_t pos) {
  while (pos < text.size() && continues_a_character(text[pos])) ++pos;
  return pos;
}

}  // namespace

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

std::string BpeEncoding::truncate(std::string_view text, std::int64_t max_tokens, KeepEnd keep) const {
  std::string repaired = impl_->tokenizer.normalizes ? bpe::normal_form_c(text) : bpe::repair_utf8(text);
  const auto tokens = impl_->tokenizer.encode(repaired);
  if (static_cast<std::int64_t>(tokens.size()) <= max_tokens) return repaired;
  // A part of a text can have more tokens than it had within the whole, so the cut moves on until it fits.
  std::size_t pos = keep == KeepEnd::head ? 0 : repaired.size();
  for (std::int64_t kept = std::max<std::int64_t>(max_tokens, 0); kept > 0; --kept) {
    pos = 0;
    const std::size_t from = keep == KeepEnd::head ? 0 : tokens.size() - static_cast<std::size_t>(kept);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kept); ++i) {
      bytes += impl_->tokenizer.vocabulary.text_of(tokens[from + i]).size();
    }
    pos =
        keep == KeepEnd::head ? character_before(repaired, bytes) : character_after(repaired, repaired.size() - bytes);
    auto part = keep == KeepEnd::head ? repaired.substr(0, pos) : repaired.substr(pos);
    if (count_up_to(part, max_tokens) <= max_tokens) return part;
  }
  return {};
}

BpeIncrementalCount::BpeIncrementalCount(BpeEncoding encoding) : encoding_(std::move(encoding)) {}

void BpeIncrementalCount::append(std::string_view text) {
  // A cut that the old tail did not have needs a character of the new text behind it.
  const std::size_t from = tail_.size() - std::min<std::size_t>(tail_.size(), 8);
  tail_ += text;
  const std::size_t cut = bpe::last_safe_cut(tail_, from);
  if (cut > 0) {
    committed_ += encoding_.count(std::string_view(tail_).substr(0, cut));
    tail_.erase(0, cut);
  }
  open_ = encoding_.count(tail_);
}

std::int64_t BpeIncrementalCount::count() const { return committed_ + open_; }

}  // namespace ctxmgr
