#include "engine/index/fingerprint.hpp"

#include <cstring>
#include <random>

namespace ctxmgr::engine {
namespace {

// Odd constants with well mixed bits: the fractional parts of the golden ratio and of the square root of 3.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t root3 = 0xbb67ae8584caa73bULL;

/// Both halves of the product, one over the other, where no integer is wide enough for it.
constexpr std::uint64_t fold_by_halves(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffffffff;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t left = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t right = (a & half) * (b >> 32) + (left & half);
  return ((right << 32) | (low & half)) ^ ((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32));
}

#ifdef __SIZEOF_INT128__
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
static_assert(fold(golden, root3) == fold_by_halves(golden, root3));
static_assert(fold(~0ULL, ~0ULL) == fold_by_halves(~0ULL, ~0ULL));
#else
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) { return fold_by_halves(a, b); }
#endif

}  // namespace

Fingerprint fingerprint(std::string_view text, Fingerprint before) {
  std::uint64_t low = before.low ^ golden;
  std::uint64_t high = before.high ^ root3 ^ text.size();
  for (std::size_t at = 0; at < text.size(); at += 16) {
    std::uint64_t words[2] = {0, 0};
    std::memcpy(words, text.data() + at, text.size() - at < 16 ? text.size() - at : 16);
    low = fold(low ^ words[0], golden ^ words[1]);
    high = fold(high ^ words[1], root3 ^ words[0]) + low;
  }
  return {fold(low ^ text.size(), root3), fold(high, golden ^ low)};
}

std::string Fingerprint::hex() const {
  std::string digits;
  digits.reserve(32);
  for (const auto word : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(word >> shift) & 15];
  }
  return digits;
}

Fingerprint random_fingerprint() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
  return {word(), word()};
}

}  // namespace ctxmgr::engine
