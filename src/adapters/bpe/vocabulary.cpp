#include "adapters/bpe/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ctxmgr::bpe {
namespace {

constexpr std::size_t max_tokens = std::size_t{1} << 20U;  // 20 bits a rank in the table of pairs
constexpr std::size_t max_bytes = 4'096;
constexpr std::uint32_t is_longer = 2U << max_key_bytes;

bool same_text(Key a, Key b) { return a.low == b.low && a.high == b.high; }

std::size_t slots_for(std::size_t entries) { return std::bit_ceil(std::max<std::size_t>(entries + entries / 4, 16)); }

std::uint64_t prefix_hash(std::uint32_t prefix) { return prefix * 0xD6E8FEB86659FD93ULL; }

std::uint32_t prefix_tag(std::uint64_t hashed) { return static_cast<std::uint32_t>(hashed >> 16U) << 16U; }

// The first bytes of a text made of two.
Key join(Key left, std::size_t left_bytes, Key right) {
  if (left_bytes >= max_key_bytes) return left;
  const auto shift = static_cast<unsigned>(8 * left_bytes);
  if (shift >= 64) return {left.low, (left.high | right.low << (shift - 64U)) & key_text_mask};
  return {left.low | right.low << shift, (right.high << shift | right.low >> (64U - shift)) & key_text_mask};
}

}  // namespace

// What is known of a token while the tables are built.
struct Vocabulary::Draft {
  std::uint64_t low = 0;  // the first bytes, as in a key
  std::uint32_t high = 0;
  std::uint16_t last = 0;  // the last two bytes, as read from the text; the upper one alone if there is but one
  std::uint16_t bytes = 1;

  Key head() const { return {low, high}; }
  Key key() const { return shorten(head(), bytes); }
  std::uint32_t prefix() const { return static_cast<std::uint32_t>(low); }
};

Result<Vocabulary> Vocabulary::make(std::string_view bytes, Merges merges, std::vector<std::string> whole) {
  if (bytes.size() != 256) return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  if (merges.size() + whole.size() + 256 >= max_tokens) return fail(ErrorCode::bad_data, "vocabulary: too many tokens");
  Vocabulary made;
  std::fill_n(made.rank_of_byte_, 256, no_rank);
  for (Rank rank = 0; rank < 256; ++rank) {
    made.byte_of_[rank] = bytes[rank];
    made.rank_of_byte_[static_cast<unsigned char>(bytes[rank])] = rank;
  }
  if (std::count(made.rank_of_byte_, made.rank_of_byte_ + 256, no_rank) != 0) {
    return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  }
  made.merges_ = std::move(merges);
  if (!made.build_tables()) return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
  for (std::string& text : whole) {
    const auto rank = static_cast<Rank>(made.lengths_.size());
    made.lengths_.push_back(static_cast<std::uint16_t>(text.size()));
    made.max_token_bytes_ = std::max(made.max_token_bytes_, text.size());
    made.whole_.push_back({std::move(text), rank});
  }
  std::sort(made.whole_.begin(), made.whole_.end(), [](const Whole& a, const Whole& b) { return a.text < b.text; });
  return made;
}

bool Vocabulary::build_tables() {
  const std::size_t tokens = merges_.size() + 256;
  std::vector<Draft> drafts(tokens);  // first: what is needed only now is given back whole
  lengths_.resize(tokens);
  keys_.resize(slots_for(tokens) / 4);
  pairs_ = PairTable(tokens);
  prefixes_.resize(slots_for(tokens / 2));
  key_filter_ = BloomFilter(tokens);
  borders_.resize(border_bits / 64);
  constexpr Rank ahead = 16;  // so many tokens lie between saying what is needed and needing it
  std::size_t borders[ahead] = {};
  for (Rank rank = 0; rank < tokens + ahead; ++rank) {
    if (rank >= ahead) add_token(drafts[rank - ahead], rank - ahead, borders[rank % ahead]);
    if (rank + ahead >= 256 && rank + ahead < tokens) {
      const Merge next = merge_of(rank + ahead);
      if (next.left < tokens) bpe::prefetch(&drafts[next.left]);
      if (next.right < tokens) bpe::prefetch(&drafts[next.right]);
    }
    if (rank >= tokens) continue;
    Draft& made = drafts[rank];
    if (rank < 256) {
      const auto byte = static_cast<unsigned char>(byte_of_[rank]);
      made = {byte, 0, static_cast<std::uint16_t>(byte << 8U), 1};
    } else {
      const Merge merge = merge_of(rank);
      if (merge.left >= rank || merge.right >= rank) return false;
      const Draft& left = drafts[merge.left];
      const Draft& right = drafts[merge.right];
      const std::size_t bytes = std::size_t{left.bytes} + right.bytes;
      if (bytes > max_bytes) return false;
      const Key head = join(left.head(), left.bytes, right.head());
      made.low = head.low;
      made.high = static_cast<std::uint32_t>(head.high);
      made.last = right.bytes > 1 ? right.last : static_cast<std::uint16_t>(right.last | left.last >> 8U);
      made.bytes = static_cast<std::uint16_t>(bytes);
      borders[rank % ahead] = border_between(left, right);
      bpe::prefetch(&borders_[borders[rank % ahead] / 64]);
      pairs_.prefetch(merge.left, merge.right);
    }
    if (made.bytes <= max_key_bytes) {
      prefetch(made.key());
      key_filter_.prefetch(mix(fold(made.key())));
    }
    bpe::prefetch(&prefixes_[hash(prefix_hash(made.prefix()), prefixes_.size())]);
  }
  add_long_tokens(drafts);
  return true;
}

void Vocabulary::add_token(const Draft& token, Rank rank, std::size_t border) {
  lengths_[rank] = token.bytes;
  max_token_bytes_ = std::max<std::size_t>(max_token_bytes_, token.bytes);
  if (rank >= 256) {
    const Merge merge = merge_of(rank);
    pairs_.add(merge.left, merge.right, rank);
    borders_[border / 64] |= std::uint64_t{1} << (border % 64);
  }
  const bool is_long = token.bytes > max_key_bytes;
  if (token.bytes >= 4) add_prefix(token.prefix(), is_long ? is_longer : 1U << token.bytes);
  if (is_long)
    long_tokens_.push_back({rank, 0, none});
  else
    add_key(token.key(), rank);
}

std::size_t Vocabulary::border_between(const Draft& left, const Draft& right) {
  std::uint32_t bytes = left.last >> 8U | static_cast<std::uint32_t>(right.low & 0xFFU) << 8U;
  std::uint32_t kind = 0;
  if (left.bytes > 1) {
    bytes |= (left.last & 0xFFU) << 16U;
    kind |= 1U;
  }
  if (right.bytes > 1) {
    bytes |= static_cast<std::uint32_t>(right.low >> 8U & 0xFFU) << 24U;
    kind |= 2U;
  }
  return border_slot(bytes, kind);
}

void Vocabulary::add_key(Key key, Rank rank) {
  key_filter_.add(mix(fold(key)));
  for (std::size_t bucket = hash(fold(key), keys_.size());; bucket = (bucket + 1) & (keys_.size() - 1)) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (keys_[bucket].keys[i].high != 0) continue;
      keys_[bucket].keys[i] = {key.low, key.high | (std::uint64_t{rank} + 1) << key_value_shift};
      return;
    }
  }
}

void Vocabulary::add_prefix(std::uint32_t prefix, std::uint32_t length_bit) {
  const std::uint64_t hashed = prefix_hash(prefix);
  const std::uint32_t tag = prefix_tag(hashed);
  std::size_t slot = hash(hashed, prefixes_.size());
  while (prefixes_[slot] != 0 && (prefixes_[slot] ^ tag) >> 16U != 0) slot = (slot + 1) & (prefixes_.size() - 1);
  prefixes_[slot] |= tag | length_bit;
}

std::uint32_t Vocabulary::lengths_of(std::uint32_t prefix) const {
  const std::uint64_t hashed = prefix_hash(prefix);
  const std::uint32_t tag = prefix_tag(hashed);
  std::size_t slot = hash(hashed, prefixes_.size());
  while (prefixes_[slot] != 0 && (prefixes_[slot] ^ tag) >> 16U != 0) slot = (slot + 1) & (prefixes_.size() - 1);
  return prefixes_[slot] & 0xFFFFU;
}

void Vocabulary::append_draft(const std::vector<Draft>& drafts, Rank rank) {
  const Draft& token = drafts[rank];
  if (token.bytes > max_key_bytes) {
    const Merge merge = merge_of(rank);
    append_draft(drafts, merge.left);
    append_draft(drafts, merge.right);
    return;
  }
  for (unsigned i = 0; i < token.bytes; ++i) {
    long_text_ += static_cast<char>((i < 8 ? token.low >> 8 * i : token.high >> 8 * (i - 8)) & 0xFFU);
  }
}

void Vocabulary::add_long_tokens(const std::vector<Draft>& drafts) {
  long_heads_.resize(slots_for(long_tokens_.size()));
  for (std::uint32_t i = 0; i < long_tokens_.size(); ++i) {
    LongToken& token = long_tokens_[i];
    const Draft& draft = drafts[token.rank];
    LongHead& head = long_heads_[long_slot(draft.head())];
    head.text = draft.head();
    std::uint32_t* place = &head.first;
    while (*place != none && bytes_of(long_tokens_[*place].rank) > draft.bytes) place = &long_tokens_[*place].next;
    token.next = std::exchange(*place, i);
    token.offset = static_cast<std::uint32_t>(long_text_.size());
    append_draft(drafts, token.rank);
  }
}

std::size_t Vocabulary::long_slot(Key head) const {
  std::size_t slot = hash(fold(head), long_heads_.size());
  while (long_heads_[slot].first != none && !same_text(long_heads_[slot].text, head)) {
    slot = (slot + 1) & (long_heads_.size() - 1);
  }
  return slot;
}

Match Vocabulary::longest_long(Key head, const char* text, std::size_t limit) const {
  for (std::uint32_t i = long_heads_[long_slot(head)].first; i != none; i = long_tokens_[i].next) {
    const LongToken& token = long_tokens_[i];
    const std::size_t bytes = lengths_[token.rank];
    if (bytes <= limit && std::memcmp(long_text_.data() + token.offset, text, bytes) == 0) return {token.rank, bytes};
  }
  return {};
}

Match Vocabulary::longest(const char* text, std::size_t bytes, std::size_t limit, const char* text_end) const {
  const std::size_t most = std::min(bytes, limit);
  const Key head = load_key(text, text_end);
  std::uint32_t lengths = most < 4 ? 0 : lengths_of(static_cast<std::uint32_t>(head.low));
  if (most > max_key_bytes && (lengths & is_longer) != 0) {
    const Match match = longest_long(head, text, most);
    if (match.bytes != 0) return match;
  }
  lengths = (lengths | 0b1100U) & ((2U << std::min(most, max_key_bytes)) - 1);
  while (lengths > 3) {
    const std::size_t length = static_cast<std::size_t>(std::bit_width(lengths)) - 1;
    const Key key = shorten(head, length);
    const Rank rank = may_have(key) ? find(key) : no_rank;
    if (rank != no_rank) return {rank, length};
    lengths ^= 1U << length;
  }
  if (most == 0) return {};
  return {rank_of_byte_[static_cast<unsigned char>(*text)], 1};
}

void Vocabulary::append_text(Rank rank, std::string& text) const {
  if (rank < 256) {
    text += byte_of_[rank];
    return;
  }
  if (rank >= merges_.size() + 256) {
    text += std::find_if(whole_.begin(), whole_.end(), [&](const Whole& whole) { return whole.rank == rank; })->text;
    return;
  }
  const Merge merge = merge_of(rank);
  append_text(merge.left, text);  // no deeper than a token has bytes
  append_text(merge.right, text);
}

}  // namespace ctxmgr::bpe
