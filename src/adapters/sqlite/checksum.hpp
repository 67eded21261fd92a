#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ctxmgr::sqlite {

/// Notices damage to a stored row, not forgery. Every step is a bijection of its lane, so that a change within any one
/// word always changes the result; four lanes, because one multiplication after the other would be the slowest part of
/// reading a large value. Frozen (v1).
class RowChecksum {
 public:
  RowChecksum& add(std::uint64_t word) {
    mix(lanes_[0], word);
    return *this;
  }

  RowChecksum& add(std::string_view bytes) {
    add(bytes.size());
    constexpr auto word = sizeof(std::uint64_t);
    auto [a, b, c, d] = lanes_;  // in registers: a loop over the array is twice as slow
    for (; bytes.size() >= 4 * word; bytes.remove_prefix(4 * word)) {
      mix(a, word_of(bytes.data()));
      mix(b, word_of(bytes.data() + word));
      mix(c, word_of(bytes.data() + 2 * word));
      mix(d, word_of(bytes.data() + 3 * word));
    }
    lanes_ = {a, b, c, d};
    for (; bytes.size() >= word; bytes.remove_prefix(word)) add(word_of(bytes.data()));
    std::array<char, word> rest{};
    std::copy(bytes.begin(), bytes.end(), rest.begin());
    return add(word_of(rest.data()));
  }

  [[nodiscard]] std::int64_t value() const {
    auto joined = lanes_[0];
    for (std::size_t i = 1; i < lanes_.size(); ++i) mix(joined, lanes_[i]);
    return static_cast<std::int64_t>(joined);
  }

 private:
  static void mix(std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * 0x9E3779B97F4A7C15ull;
    lane ^= lane >> 32;
  }

  // Little-endian wherever it runs: files move between machines.
  static std::uint64_t word_of(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::little) return word;
    std::uint64_t turned = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) turned = turned << 8 | (word >> 8 * i & 0xFF);
    return turned;
  }

  std::array<std::uint64_t, 4> lanes_{0x6374786d67722e31ull, 0x6374786d67722e32ull, 0x6374786d67722e33ull,
                                      0x6374786d67722e34ull};
};

}  // namespace ctxmgr::sqlite
