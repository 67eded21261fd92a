#pragma once
#include <atomic>
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
#include "adapters/bpe/run_tokens.hpp"
#include "adapters/bpe/table_memory.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// How many bytes a character has, by its first byte; 1 for bytes that continue one.
inline std::size_t bytes_of_character(char first) {
  static constexpr std::uint8_t bytes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  return bytes[static_cast<unsigned char>(first) >> 4U];
}

/// The tokens of an encoding and the tables that find them. Immutable once made.
/// Thread-safety: const methods may be called from several threads at once.
class Vocabulary {
 public:
  /// `bytes[i]` is what token i stands for, `merges[i]` what token 256 + i is merged from, both of lower rank.
  /// `bad_data` where they are not, or where a token is longer than 4 096 bytes.
  /// `whole` are further tokens that merging does not make: a piece is one of them or has none of them.
  static Result<Vocabulary> make(std::string_view bytes, Merges merges, const std::vector<std::string>& whole = {});

  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t max_token_bytes() const { return max_token_bytes_; }

  /// Has room for further tables beside its own.
  const std::shared_ptr<TableMemory>& memory() const { return memory_; }

  /// What a token stands for.
  std::string_view text_of(Rank rank) const {
    return {text_.data() + offsets_[rank], offsets_[rank + 1] - offsets_[rank]};
  }

  /// \pre The token is not one of the 256 bytes.
  Merge merge_of(Rank rank) const { return merges_[rank - 256]; }

  Rank rank_of_byte(char byte) const { return rank_of_byte_[static_cast<unsigned char>(byte)]; }

  /// The token that two adjacent ones merge to, or `no_rank`.
  Rank merged(Rank left, Rank right) const { return may_merge(left, right) ? find_merged(left, right) : no_rank; }

  /// The same, faster where they do merge.
  Rank find_merged(Rank left, Rank right) const { return pairs_.find(left, right); }

  /// The token that two bytes merge to, or `no_rank`. \pre Both are below 256.
  Rank merged_bytes(Rank left, Rank right) const { return byte_pairs_[left << 8U | right]; }

  /// May be wrong only in saying yes.
  bool may_merge(Rank left, Rank right) const { return pairs_.may_have(left, right); }

  /// The token that is this text, or `no_rank`. \pre The text has a byte, and eight can be read.
  Rank find(std::string_view text) const { return find(text, hash_text(text)); }

  /// The same with the hash of the text.
  Rank find(std::string_view text, std::uint64_t hashed) const {
    const std::uint32_t tag = tag_of(hashed);
    for (std::size_t bucket = bucket_of(hashed);; bucket = (bucket + 1) & (buckets_.size() - 1)) {
      unsigned same = 0;  // a bit for each slot with this tag: a branch for each could not be foreseen
      for (unsigned i = 0; i < slots; ++i) {
        same |= static_cast<unsigned>((buckets_[bucket].slots[i] ^ tag) <= rank_mask) << i;
      }
      for (; same != 0; same &= same - 1) {
        const Rank rank = buckets_[bucket].slots[std::countr_zero(same)] & rank_mask;
        if (is_text_of(rank, text)) return rank;
      }
      if (buckets_[bucket].slots[slots - 1] == 0) return no_rank;
    }
  }

  /// Says that `find` will be asked for a text with this hash soon.
  void prefetch(std::uint64_t hashed) const { bpe::prefetch(&buckets_[bucket_of(hashed)]); }

  /// The token that the character of these two or three bytes is where merging makes it of them alone, or `no_rank`.
  Rank rank_of_character(const char* text, std::size_t bytes) const { return characters_[character_of(text, bytes)]; }

  /// Could a merge take the beginning of the character behind a border, or the end of the one before it, together with
  /// what is beyond the border before the character is whole? These are the bytes before and behind the border. May be
  /// wrong only in saying yes.
  bool breaks_next(char before, char behind) const { return has(breaks_next_, before, behind); }
  bool breaks_previous(char before, char behind) const { return has(breaks_previous_, before, behind); }

  /// Do two tokens stay as they are when their texts are encoded together? `limit`: so far as merges before this one go.
  bool stay_apart(Rank left, Rank right, Rank limit = no_rank) const;

  /// The tokens of blanks alone and of one byte repeated.
  const RunTokens& runs() const { return runs_; }

  /// The longest token of `runs()` that begins `right` and stays apart from `left`; none where there is none. Runs ask the same
  /// again and again, so answers are kept.
  RunTokens::Node run_behind(RunTokens::Node left, RunTokens::Node right) const {
    if ((left | right) > node_mask) return find_run_behind(left, right);
    const auto key = std::uint64_t{left} << node_bits | right;
    auto& known = runs_behind_[static_cast<std::size_t>(mix(key) >> (64U - runs_behind_bits))];
    const auto held = known.load(std::memory_order_relaxed);
    if (held >> node_bits == key) return static_cast<RunTokens::Node>(held & node_mask);
    const auto found = find_run_behind(left, right);
    known.store(key << node_bits | found, std::memory_order_relaxed);
    return found;
  }

  /// Where the part of a text that begins at `pos` ends: at the first border between two characters of two or three bytes
  /// each that merging never crosses, since no token has the two side by side; else at the end of the text. The tokens of
  /// a text are those of its parts. \pre The text is UTF-8.
  std::size_t part_end(std::string_view text, std::size_t pos) const;

 private:
  static constexpr std::uint32_t rank_mask = 0xFFFFFU;
  static constexpr std::size_t slots = 8;
  static constexpr unsigned node_bits = 21;
  static constexpr std::uint64_t node_mask = (std::uint64_t{1} << node_bits) - 1;
  static constexpr unsigned runs_behind_bits = 14;
  struct alignas(slots * sizeof(std::uint32_t)) Bucket {
    std::uint32_t slots[Vocabulary::slots] = {};  // tag << 20 | rank; zero is free

    std::size_t used() const {
      std::size_t count = 0;
      for (const std::uint32_t slot : slots) count += slot != 0 ? 1 : 0;
      return count;
    }
  };
  using Borders = std::vector<std::uint64_t>;  // a bit for each two bytes
  explicit Vocabulary(std::size_t tokens) : memory_(std::make_shared<TableMemory>(32 * tokens)) {}
  bool measure_tokens();
  void spell(Rank rank, Merge merge);
  void add(Rank rank, std::uint64_t hashed);
  void add_merge(Rank rank, Merge merge);
  void add_border(std::string_view left, std::string_view right);
  void add_character(Rank rank);
  void add_runs();
  RunTokens::Node find_run_behind(RunTokens::Node left, RunTokens::Node right) const;
  bool is_text_of(Rank rank, std::string_view text) const {
    const char* const own = text_.data() + offsets_[rank];
    if (offsets_[rank + 1] - offsets_[rank] != text.size()) return false;
    if (text.size() > 8) return std::memcmp(own, text.data(), text.size()) == 0;
    return (load_bytes(own) ^ load_bytes(text.data())) << (64 - 8 * text.size()) == 0;
  }
  std::size_t bucket_of(std::uint64_t hashed) const {
    return static_cast<std::size_t>(hashed >> 40U) & (buckets_.size() - 1);
  }
  // Never zero, since zero is a free slot.
  static std::uint32_t tag_of(std::uint64_t hashed) {
    return (static_cast<std::uint32_t>(hashed >> 8U) | 0x80000000U) & ~rank_mask;
  }
  // The code point; those of two bytes are above the others, since three malformed bytes could spell the same.
  static std::size_t character_of(const char* text, std::size_t bytes) {
    const auto bits = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(text[i])) & 63U;
    };
    return bytes == 2 ? 0x10000U + ((bits(0) & 31U) << 6U | bits(1)) : (bits(0) & 15U) << 12U | bits(1) << 6U | bits(2);
  }
  // A character of two or three bytes, without a branch; never zero.
  static std::uint64_t neighbour_of(const char* text, std::size_t bytes) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(text[i])}; };
    return byte(0) | byte(1) << 8U | byte(bytes - 1) << 16U;
  }
  static std::uint64_t neighbours_of(std::uint64_t before, std::uint64_t behind) { return mix(before << 24U | behind); }
  static std::size_t border_of(char before, char behind) {
    return static_cast<std::size_t>(static_cast<unsigned char>(before)) << 8U | static_cast<unsigned char>(behind);
  }
  static bool has(const Borders& borders, char before, char behind) {
    const std::size_t border = border_of(before, behind);
    return (borders[border / 64] >> (border % 64) & 1U) != 0;
  }

  std::shared_ptr<TableMemory> memory_;
  Merges merges_;                          // of the tokens from 256 on
  std::string text_;                       // of all tokens, one behind the other, and eight bytes
  Table<std::uint32_t> offsets_{memory_};  // where a token begins there; one more than tokens
  std::size_t max_token_bytes_ = 0;
  bool has_whole_ = false;  // tokens that merging does not make
  Rank rank_of_byte_[256] = {};
  Table<Bucket> buckets_;  // open addressing
  PairTable pairs_;
  Table<Rank> byte_pairs_;  // what is in `pairs_`, too
  Table<Rank> characters_;
  Borders breaks_next_ = Borders(0x10000 / 64);
  Borders breaks_previous_ = Borders(0x10000 / 64);
  RunTokens runs_;
  // Two nodes and the one that was found for them; all of it is zero at first, which is no pair.
  mutable std::vector<std::atomic<std::uint64_t>> runs_behind_ =
      std::vector<std::atomic<std::uint64_t>>(std::size_t{1} << runs_behind_bits);
  BloomFilter neighbours_;  // characters of two or three bytes that a merge has put side by side
};

}  // namespace ctxmgr::bpe
