#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ctxmgr::bpe {

/// A token's place in the order of merges. In the encodings of tiktoken it is the token's id.
using Rank = std::uint32_t;
inline constexpr Rank no_rank = 0xFFFFFFFF;

/// The two tokens that a token is merged from.
struct Merge {
  Rank left = no_rank;
  Rank right = no_rank;
};

/// What each token above the 256 bytes is merged from: two ranks of a fixed number of bits, at most 32, one behind the
/// other, in numbers of 64 bits, lowest bit first. Half the size of plain numbers, and what the library has compiled in.
/// Thread-safety: const methods may be called from several threads at once.
class Merges {
 public:
  Merges() = default;

  /// Of `count` tokens, in memory that stays. \pre There is one more number behind those that are needed.
  Merges(const std::uint64_t* words, unsigned bits, std::size_t count)
      : words_(std::shared_ptr<void>(), words), bits_(bits), count_(count) {}

  explicit Merges(std::span<const Merge> merges)
      : bits_(static_cast<unsigned>(std::bit_width(merges.size() + 256))), count_(merges.size()) {
    auto words = std::make_shared<std::vector<std::uint64_t>>(2 * merges.size() * bits_ / 64 + 2);
    std::size_t position = 0;
    for (const Merge& merge : merges) {
      for (const Rank rank : {merge.left, merge.right}) {
        const auto shift = static_cast<unsigned>(position % 64);
        (*words)[position / 64] |= std::uint64_t{rank} << shift;
        if (shift + bits_ > 64) (*words)[position / 64 + 1] |= std::uint64_t{rank} >> (64 - shift);
        position += bits_;
      }
    }
    words_ = {words, words->data()};
  }

  std::size_t size() const { return count_; }

  Merge operator[](std::size_t index) const {
    const std::size_t position = 2 * index * bits_;
    const std::uint64_t* const word = words_.get() + position / 64;
    const auto shift = static_cast<unsigned>(position % 64);
    const std::uint64_t both = word[0] >> shift | word[1] << 1U << (63 - shift);
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    return {static_cast<Rank>(both & mask), static_cast<Rank>(both >> bits_ & mask)};
  }

 private:
  std::shared_ptr<const std::uint64_t> words_;
  unsigned bits_ = 0;
  std::size_t count_ = 0;
};

}  // namespace ctxmgr::bpe
