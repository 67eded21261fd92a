#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/bpe/bloom_filter.hpp"
#include "adapters/bpe/hashing.hpp"
#include "adapters/bpe/merges.hpp"
#include "adapters/bpe/pair_table.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A token at the start of a text, and its length; no length where there is none.
struct Match {
  Rank rank = no_rank;
  std::size_t bytes = 0;
};

/// Twelve bytes of text, the first in the lowest bits, padded with zeros, and 32 bits for whoever stores them: from the
/// lowest, four for the number of bytes and the rest for a value.
struct Key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
inline constexpr std::size_t max_key_bytes = 12;
inline constexpr unsigned key_value_shift = 36;
inline constexpr std::uint64_t key_text_mask = 0xFFFFFFFFU;

/// The first twelve bytes of a text; zeros where it ends before.
inline Key load_key(const char* text, const char* text_end) {
  Key key;
  const auto left = static_cast<std::size_t>(text_end - text);
  if (left >= sizeof key)
    std::memcpy(&key, text, sizeof key);
  else
    std::memcpy(&key, text, left);
  if constexpr (std::endian::native == std::endian::big) key = {swap_bytes(key.low), swap_bytes(key.high)};
  key.high &= key_text_mask;
  return key;
}

/// The key of the first `bytes` of them. \pre `bytes` is 1 to 12.
inline Key shorten(Key text, std::size_t bytes) {
  const auto low = static_cast<unsigned>(bytes < 8 ? 64 - 8 * bytes : 0);
  const auto high = static_cast<unsigned>(bytes > 8 ? 32 - 8 * (bytes - 8) : 32);
  const std::uint64_t length = static_cast<std::uint64_t>(bytes) << 32U;
  return {text.low & ~std::uint64_t{0} >> low, (text.high & key_text_mask >> high) | length};
}

inline std::size_t bytes_of(Key key) { return static_cast<std::size_t>(key.high >> 32U & 15U); }

/// The value stored with a key, or nothing (`other` is a key without value): zero is never stored.
inline std::uint64_t value_of(Key stored, Key other) {
  const std::uint64_t rest = stored.high ^ other.high;
  const std::uint64_t differs = (stored.low ^ other.low) | (rest & ((1ULL << key_value_shift) - 1));
  return differs == 0 ? rest >> key_value_shift : 0;
}

inline std::uint64_t fold(Key key) { return key.low ^ std::rotl(key.high * 0xD6E8FEB86659FD93ULL, 32); }

/// The tokens of an encoding and the tables that find them. Immutable once made.
/// Thread-safety: const methods may be called from several threads at once.
class Vocabulary {
 public:
  /// `bytes[i]` is what token i stands for, `merges[i]` what token 256 + i is merged from, both of lower rank.
  /// `bad_data` where they are not, or where a token is longer than 4 096 bytes.
  /// `whole` are further tokens that merging does not make: a piece is one of them or has none of them.
  static Result<Vocabulary> make(std::string_view bytes, Merges merges, std::vector<std::string> whole = {});

  std::size_t size() const { return lengths_.size(); }
  std::size_t bytes_of(Rank rank) const { return lengths_[rank]; }
  std::size_t max_token_bytes() const { return max_token_bytes_; }

  /// \pre The token is not one of the 256 bytes.
  Merge merge_of(Rank rank) const { return merges_[rank - 256]; }

  Rank rank_of_byte(char byte) const { return rank_of_byte_[static_cast<unsigned char>(byte)]; }

  /// Appends what a token stands for.
  void append_text(Rank rank, std::string& text) const;

  /// The token that two adjacent ones merge to, or `no_rank`.
  Rank merged(Rank left, Rank right) const { return pairs_.find(left, right); }

  /// The token with this key, or `no_rank`.
  Rank find(Key key) const {
    for (std::size_t bucket = hash(fold(key), keys_.size());; bucket = (bucket + 1) & (keys_.size() - 1)) {
      std::uint64_t value = 0;  // of the one that is equal: a branch for each could not be foreseen
      for (const Key& stored : keys_[bucket].keys) value |= value_of(stored, key);
      if (value != 0) return static_cast<Rank>(value - 1);
      if (keys_[bucket].keys[3].high == 0) return no_rank;
    }
  }

  /// The token that this piece is and that merging does not make, or `no_rank`.
  Rank find_whole(std::string_view piece) const {
    if (whole_.empty()) return no_rank;
    const auto found = std::lower_bound(whole_.begin(), whole_.end(), piece,
                                        [](const Whole& whole, std::string_view text) { return whole.text < text; });
    return found != whole_.end() && found->text == piece ? found->rank : no_rank;
  }

  /// Could there be a token with this key? May be wrong only in saying yes, and is faster than `find`.
  bool may_have(Key key) const { return key_filter_.may_contain(mix(fold(key))); }

  /// Says that `find` will be asked for this key soon.
  void prefetch(Key key) const { bpe::prefetch(&keys_[hash(fold(key), keys_.size())]); }

  /// Could a merge cross a border in a text, with so many bytes before and behind it to choose from? May be wrong only in
  /// saying yes: what it looks at are the two bytes before and the two behind.
  bool may_merge_across(const char* border, std::size_t before, std::size_t behind) const {
    const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(border[i])); };
    const std::uint32_t near = byte(-1) | byte(0) << 8U;
    const std::uint32_t left = before > 1 ? byte(-2) << 16U : 0;
    const std::uint32_t right = behind > 1 ? byte(1) << 24U : 0;
    return has_border(near, 0) || (before > 1 && has_border(near | left, 1)) ||
           (behind > 1 && has_border(near | right, 2)) ||
           (before > 1 && behind > 1 && has_border(near | left | right, 3));
  }

  /// The longest token of at most `limit` bytes with which the `bytes` bytes at `text` begin. `text_end` is where
  /// reading may go on.
  Match longest(const char* text, std::size_t bytes, std::size_t limit, const char* text_end) const;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct LongToken {
    Rank rank;
    std::uint32_t offset;  // in long_text_
    std::uint32_t next;    // the next shorter one that begins with the same bytes, or none
  };
  struct LongHead {
    Key text;  // the first bytes
    std::uint32_t first = none;
  };
  struct Whole {
    std::string text;
    Rank rank;
  };
  struct Draft;
  struct alignas(64) KeyBucket {
    Key keys[4];
  };
  Vocabulary() = default;
  Match longest_long(Key head, const char* text, std::size_t limit) const;
  std::uint32_t lengths_of(std::uint32_t prefix) const;
  bool build_tables();
  void add_token(const Draft& token, Rank rank, std::size_t border);
  static std::size_t border_between(const Draft& left, const Draft& right);
  void add_key(Key key, Rank rank);
  void add_prefix(std::uint32_t prefix, std::uint32_t length_bit);
  void add_long_tokens(const std::vector<Draft>& drafts);
  void append_draft(const std::vector<Draft>& drafts, Rank rank);
  std::size_t long_slot(Key head) const;
  static std::size_t border_slot(std::uint32_t bytes, std::uint32_t kind) {
    return hash((static_cast<std::uint64_t>(bytes) << 2U | kind) * 0xD6E8FEB86659FD93ULL, border_bits);
  }
  bool has_border(std::uint32_t bytes, std::uint32_t kind) const {
    const std::size_t slot = border_slot(bytes, kind);
    return (borders_[slot / 64] >> (slot % 64) & 1U) != 0;
  }

  Merges merges_;             // of the tokens from 256 on
  std::vector<Whole> whole_;  // by their text; they have the highest ranks
  std::vector<std::uint16_t> lengths_;
  std::size_t max_token_bytes_ = 0;
  char byte_of_[256] = {};
  Rank rank_of_byte_[256] = {};
  std::vector<KeyBucket> keys_;  // open addressing by bucket; the value is the rank plus one
  PairTable pairs_;
  BloomFilter key_filter_;
  // By four bytes of text: tag << 16 | lengths, where bit n says that a token of n bytes may begin so, and the bit above
  // the longest key's, a longer one. Prefixes with the same tag share an entry, which costs a look in vain, no more.
  std::vector<std::uint32_t> prefixes_;
  std::vector<LongHead> long_heads_;  // open addressing
  std::vector<LongToken> long_tokens_;
  std::string long_text_;
  static constexpr std::size_t border_bits = std::size_t{1} << 21U;
  std::vector<std::uint64_t> borders_;  // a Bloom filter
};

}  // namespace ctxmgr::bpe
