#include "http/chunk_decoder.hpp"

#include <gtest/gtest.h>

namespace ctxpack::http::test {
namespace {

using State = ChunkDecoder::State;

/// Given in pieces of that size; what is left behind the body comes back.
State decode(const std::string& bytes, std::size_t piece, std::string& body, std::string& left,
             std::size_t most = 100) {
  ChunkDecoder decoder(most);
  auto state = State::more;
  for (std::size_t at = 0; at < bytes.size() && state == State::more; at += piece) {
    std::string_view part = std::string_view(bytes).substr(at, piece);
    state = decoder.take(part, body);
    if (state == State::done) left = std::string(part) + (at + piece < bytes.size() ? bytes.substr(at + piece) : "");
  }
  return state;
}

TEST(ChunkDecoderTest, ABodyIsTheSameHoweverItIsCut) {
  const std::string bytes = "3;ext=1\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET /";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    std::string body;
    std::string left;
    ASSERT_EQ(decode(bytes, piece, body, left), State::done) << piece;
    EXPECT_EQ(body, "abc0123456789");
    EXPECT_EQ(left, "GET /");
  }
}

TEST(ChunkDecoderTest, WhatIsNoChunkIsMalformed) {
  for (const std::string bytes : {"\r\n", "x\r\n", "-1\r\n", "0x3\r\nabc", "3\nabc", "3\r\nabcd", "3\r\nabc\n",
                                  "3 \r\nabc", "123456789\r\n", "0\r\n\n", "0\r\n\rx", "3;\n"}) {
    std::string body;
    std::string left;
    EXPECT_EQ(decode(bytes, bytes.size(), body, left), State::malformed) << bytes;
  }
}

TEST(ChunkDecoderTest, TooMuchIsSeenBeforeItHasCome) {
  std::string body;
  std::string left;
  EXPECT_EQ(decode("65\r\n", 64, body, left), State::too_large);
  EXPECT_EQ(decode("64\r\n" + std::string(100, 'x') + "\r\n1\r\n", 64, body, left), State::too_large);
  EXPECT_EQ(decode("ffffffff\r\n", 64, body, left), State::too_large);
}

TEST(ChunkDecoderTest, ExtensionsAndTrailersWithoutEndAreRefused) {
  std::string body;
  std::string left;
  EXPECT_EQ(decode("1;" + std::string(20'000, 'x'), 64, body, left), State::malformed);
  EXPECT_EQ(decode("0\r\n" + std::string(20'000, 'x'), 64, body, left), State::malformed);
}

}  // namespace
}  // namespace ctxpack::http::test
