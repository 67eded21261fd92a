#include "core/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ctxmgr {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t load_big_endian(const unsigned char* bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) | (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

std::string big_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>((value >> (56 - 8 * i)) & 0xFF);
  return bytes;
}

}  // namespace

void Sha256::compress(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::update(std::string_view bytes) {
  total_bytes_ += bytes.size();
  if (buffered_ > 0) {
    const std::size_t taken = std::min(bytes.size(), buffer_.size() - buffered_);
    std::copy_n(bytes.data(), taken, buffer_.data() + buffered_);
    buffered_ += taken;
    bytes.remove_prefix(taken);
    if (buffered_ < buffer_.size()) return;
    compress(buffer_.data());
    buffered_ = 0;
  }
  while (bytes.size() >= buffer_.size()) {
    compress(reinterpret_cast<const unsigned char*>(bytes.data()));
    bytes.remove_prefix(buffer_.size());
  }
  std::copy_n(bytes.data(), bytes.size(), buffer_.data());
  buffered_ = bytes.size();
}

void Sha256::update_field(std::string_view bytes) {
  update(big_endian(bytes.size()));
  update(bytes);
}

std::string Sha256::bytes() {
  const std::uint64_t bits = total_bytes_ * 8;
  const std::size_t padded = (buffered_ < 56 ? 56 : 120) - buffered_;
  std::string padding(padded, '\0');
  padding[0] = static_cast<char>(0x80);
  update(padding);
  update(big_endian(bits));

  std::string out;
  for (const std::uint32_t word : state_) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>((word >> shift) & 0xFFU));
  }
  return out;
}

std::string Sha256::hex() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(64);
  for (const char c : bytes()) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 0xFU]);
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

std::string hmac_sha256_hex(std::string_view secret, std::string_view bytes) {
  constexpr std::size_t block_bytes = 64;
  std::string key(secret);
  if (key.size() > block_bytes) {
    Sha256 shorter;
    shorter.update(secret);
    key = shorter.bytes();
  }
  key.resize(block_bytes, '\0');
  const auto padded_with = [&key](char pad) {
    auto padded = key;
    for (auto& c : padded) c = static_cast<char>(c ^ pad);
    return padded;
  };
  Sha256 inner;
  inner.update(padded_with(0x36));
  inner.update(bytes);
  Sha256 outer;
  outer.update(padded_with(0x5c));
  outer.update(inner.bytes());
  return outer.hex();
}

}  // namespace ctxmgr
