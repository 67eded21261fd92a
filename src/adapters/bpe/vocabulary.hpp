#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A token's place in the order of merges. In the encodings of tiktoken it is the token's id.
using Rank = std::uint32_t;
inline constexpr Rank no_rank = 0xFFFFFFFF;

/// The two tokens that a token is merged from. For one of the 256 bytes: itself, twice.
struct Merge {
  Rank left = no_rank;
  Rank right = no_rank;
};

/// A token at the start of a text, and its length; no length where there is none.
struct Match {
  Rank rank = no_rank;
  std::size_t bytes = 0;
};

/// Sixteen bytes of text; a key holds up to 15 bytes of a token and, in its last byte, their number.
struct Key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Key& a, const Key& b) { return ((a.low ^ b.low) | (a.high ^ b.high)) == 0; }
};
inline constexpr std::size_t max_key_bytes = 15;

/// The first 16 bytes of a text; zeros where it ends before.
inline Key load_key(const char* text, const char* text_end) {
  Key key;
  const auto left = static_cast<std::size_t>(text_end - text);
  if (left >= sizeof key) {
    std::memcpy(&key, text, sizeof key);
  } else {
    std::memcpy(&key, text, left);
  }
  return key;
}

/// The key of the first `bytes` of them. \pre `bytes` is 1 to 15.
inline Key shorten(Key text, std::size_t bytes) {
  const std::uint64_t length = static_cast<std::uint64_t>(bytes) << 56U;
  if (bytes < 8) return {text.low & ((1ULL << (8 * bytes)) - 1), length};
  return {text.low, (text.high & ((1ULL << (8 * (bytes - 8))) - 1)) | length};
}

/// The tokens of an encoding and the tables that find them. Immutable once made.
/// Thread-safety: const methods may be called from several threads at once.
class Vocabulary {
 public:
  /// `bytes[i]` is what token i stands for, `merges[i]` what token 256 + i is merged from, both of lower rank.
  /// `bad_data` where they are not, or where a token is longer than 4 096 bytes.
  static Result<Vocabulary> make(std::string_view bytes, std::vector<Merge> merges);

  std::size_t size() const { return merges_.size(); }
  std::size_t bytes_of(Rank rank) const { return lengths_[rank]; }
  std::size_t max_token_bytes() const { return max_token_bytes_; }
  Merge merge_of(Rank rank) const { return merges_[rank]; }

  /// Appends what a token stands for.
  void append_text(Rank rank, std::string& text) const;

  /// The token that two adjacent ones merge to, or `no_rank`.
  Rank merged(Rank left, Rank right) const;

  /// Is the whole piece one token? `text_end` is where reading may go on.
  bool is_token(const char* piece, std::size_t bytes, const char* text_end) const {
    return bytes <= max_key_bytes ? find_key(shorten(load_key(piece, text_end), bytes)) != no_rank
                                  : longest(piece, bytes, bytes, text_end).bytes == bytes;
  }

  /// The longest token of at most `limit` bytes with which the `bytes` bytes at `text` begin.
  Match longest(const char* text, std::size_t bytes, std::size_t limit, const char* text_end) const;

 private:
  struct LongToken {
    Rank rank;
    std::uint32_t bytes;
    std::uint32_t offset;  // in long_text_
  };
  struct LongHead {
    Key text;  // the first 16 bytes
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  struct alignas(64) KeyBucket {
    Key keys[4];
  };
  struct Prefix {
    std::uint32_t text = 0;     // four bytes
    std::uint32_t lengths = 0;  // bit n: a token of n bytes begins so; bit 16: a longer one
  };

  Vocabulary() = default;
  Rank find_key(Key key) const;
  Match longest_long(Key head, const char* text, std::size_t limit) const;
  std::uint32_t lengths_of(std::uint32_t prefix) const;
  bool measure();
  void build_tables();
  void add_key(Key key, Rank rank);
  void add_pair(Merge merge, Rank rank);
  void add_prefix(std::uint32_t prefix, std::uint32_t length_bit);
  void add_long_tokens(const std::vector<Key>& heads);

  std::vector<Merge> merges_;
  std::vector<std::uint16_t> lengths_;
  std::size_t max_token_bytes_ = 0;
  char byte_of_[256] = {};
  Rank rank_of_byte_[256] = {};
  std::vector<KeyBucket> keys_;  // open addressing by bucket
  std::vector<Rank> key_ranks_;
  std::vector<std::uint64_t> pairs_;  // left << 42 | right << 21 | merged; zero is free
  std::vector<Prefix> prefixes_;
  std::vector<LongHead> long_heads_;    // open addressing
  std::vector<LongToken> long_tokens_;  // grouped by their first 16 bytes, the longest first
  std::string long_text_;
};

}  // namespace ctxmgr::bpe
