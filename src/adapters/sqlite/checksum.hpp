#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ctxmgr::sqlite {

/// Notices damage to a stored row, not forgery. Every step is a bijection of the state, so that a change within any one
/// word always changes the result. Frozen (v1).
class RowChecksum {
 public:
  RowChecksum& add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    return *this;
  }

  RowChecksum& add(std::string_view bytes) {
    add(bytes.size());
    while (bytes.size() >= sizeof(std::uint64_t)) {
      add(word_of(bytes.substr(0, sizeof(std::uint64_t))));
      bytes.remove_prefix(sizeof(std::uint64_t));
    }
    return add(word_of(bytes));
  }

  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(state_); }

 private:
  // Little-endian wherever it runs: files move between machines. Compilers make one load of it.
  static std::uint64_t word_of(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return word;
  }

  std::uint64_t state_ = 0x6374786d67722e31ull;
};

}  // namespace ctxmgr::sqlite
