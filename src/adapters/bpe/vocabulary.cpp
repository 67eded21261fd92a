#include "adapters/bpe/vocabulary.hpp"

#include <algorithm>
#include <bit>

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

Result<Vocabulary> Vocabulary::make(std::string_view bytes, std::vector<Merge> merges) {
  if (bytes.size() != 256) return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  if (merges.size() + 256 >= max_tokens) return fail(ErrorCode::bad_data, "vocabulary: too many tokens");
  Vocabulary made;
  std::fill_n(made.rank_of_byte_, 256, no_rank);
  made.merges_.resize(256);
  for (Rank rank = 0; rank < 256; ++rank) {
    made.merges_[rank] = {rank, rank};
    made.byte_of_[rank] = bytes[rank];
    made.rank_of_byte_[static_cast<unsigned char>(bytes[rank])] = rank;
  }
  if (std::count(made.rank_of_byte_, made.rank_of_byte_ + 256, no_rank) != 0) {
    return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  }
  made.merges_.insert(made.merges_.end(), merges.begin(), merges.end());
  if (!made.measure()) return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
  made.build_tables();
  return made;
}

bool Vocabulary::measure() {
  lengths_.assign(merges_.size(), 1);
  for (std::size_t rank = 256; rank < merges_.size(); ++rank) {
    const Merge merge = merges_[rank];
    if (merge.left >= rank || merge.right >= rank) return false;
    const std::size_t bytes = std::size_t{lengths_[merge.left]} + lengths_[merge.right];
    if (bytes > max_bytes) return false;
    lengths_[rank] = static_cast<std::uint16_t>(bytes);
    max_token_bytes_ = std::max(max_token_bytes_, bytes);
  }
  return true;
}

void Vocabulary::build_tables() {
  add_borders();  // first: what it needs meanwhile is given back before the large tables are there
  keys_.resize(slots_for(merges_.size()) / 4);
  pairs_ = PairTable(merges_.size());
  prefixes_.resize(slots_for(merges_.size() / 2));
  key_filter_ = BloomFilter(merges_.size());
  std::vector<Key> heads(merges_.size());
  for (Rank rank = 0; rank < merges_.size(); ++rank) {
    const Merge merge = merges_[rank];
    heads[rank] = rank < 256 ? Key{static_cast<unsigned char>(byte_of_[rank]), 0}
                             : join(heads[merge.left], lengths_[merge.left], heads[merge.right]);
  }
  constexpr Rank ahead = 16;
  for (Rank rank = 0; rank < merges_.size(); ++rank) {
    if (rank + ahead < merges_.size() && lengths_[rank + ahead] <= max_key_bytes) {
      prefetch(shorten(heads[rank + ahead], lengths_[rank + ahead]));
    }
    if (rank + ahead < merges_.size()) {
      const Merge merge = merges_[rank + ahead];
      pairs_.prefetch(merge.left, merge.right);
    }
    if (lengths_[rank] <= max_key_bytes) add_key(shorten(heads[rank], lengths_[rank]), rank);
    if (rank >= 256) pairs_.add(merges_[rank].left, merges_[rank].right, rank);
    if (lengths_[rank] >= 4) {
      add_prefix(static_cast<std::uint32_t>(heads[rank].low),
                 lengths_[rank] > max_key_bytes ? is_longer : 1U << lengths_[rank]);
    }
  }
  add_long_tokens(heads);
}

void Vocabulary::add_borders() {
  // The first and the last two bytes of each token, in text order.
  struct Ends {
    std::uint8_t first[2];
    std::uint8_t last[2];
  };
  std::vector<Ends> ends(merges_.size());
  borders_.resize(border_bits / 64);
  for (Rank rank = 0; rank < merges_.size(); ++rank) {
    if (rank < 256) {
      const auto byte = static_cast<std::uint8_t>(byte_of_[rank]);
      ends[rank] = {{byte, 0}, {0, byte}};
      continue;
    }
    const Merge merge = merges_[rank];
    const Ends& left = ends[merge.left];
    const Ends& right = ends[merge.right];
    ends[rank] = {{left.first[0], lengths_[merge.left] > 1 ? left.first[1] : right.first[0]},
                  {lengths_[merge.right] > 1 ? right.last[0] : left.last[1], right.last[1]}};
    std::uint32_t bytes = left.last[1] | static_cast<std::uint32_t>(right.first[0]) << 8U;
    std::uint32_t kind = 0;
    if (lengths_[merge.left] > 1) {
      bytes |= static_cast<std::uint32_t>(left.last[0]) << 16U;
      kind |= 1U;
    }
    if (lengths_[merge.right] > 1) {
      bytes |= static_cast<std::uint32_t>(right.first[1]) << 24U;
      kind |= 2U;
    }
    const std::size_t slot = border_slot(bytes, kind);
    borders_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
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

void Vocabulary::add_long_tokens(const std::vector<Key>& heads) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < merges_.size(); ++rank) {
    if (lengths_[rank] > max_key_bytes) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) {
    if (heads[a].low != heads[b].low) return heads[a].low < heads[b].low;
    if (heads[a].high != heads[b].high) return heads[a].high < heads[b].high;
    return lengths_[a] > lengths_[b];
  });
  long_heads_.resize(slots_for(ranks.size()));
  for (const Rank rank : ranks) {
    std::size_t slot = hash(fold(heads[rank]), long_heads_.size());
    while (long_heads_[slot].count != 0 && !same_text(long_heads_[slot].text, heads[rank])) {
      slot = (slot + 1) & (long_heads_.size() - 1);
    }
    LongHead& head = long_heads_[slot];
    if (head.count == 0) head = {heads[rank], static_cast<std::uint32_t>(long_tokens_.size()), 0};
    ++head.count;
    long_tokens_.push_back({rank, lengths_[rank], static_cast<std::uint32_t>(long_text_.size())});
    append_text(rank, long_text_);
  }
}

Match Vocabulary::longest_long(Key head, const char* text, std::size_t limit) const {
  std::size_t slot = hash(fold(head), long_heads_.size());
  while (long_heads_[slot].count != 0 && !same_text(long_heads_[slot].text, head))
    slot = (slot + 1) & (long_heads_.size() - 1);
  const LongHead& found = long_heads_[slot];
  for (std::uint32_t i = found.begin; i < found.begin + found.count; ++i) {
    const LongToken& token = long_tokens_[i];
    if (token.bytes <= limit && std::memcmp(long_text_.data() + token.offset, text, token.bytes) == 0) {
      return {token.rank, token.bytes};
    }
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
  append_text(merges_[rank].left, text);  // no deeper than a token has bytes
  append_text(merges_[rank].right, text);
}

}  // namespace ctxmgr::bpe
