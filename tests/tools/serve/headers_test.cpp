#include "serve/headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(HeadersTest, TheKeyGoesOnAndWhatIsOfTheConnectionDoesNot) {
  const ctxmgr::HttpHeaders request = {
      {"Authorization", "k"},     {"X-Api-Key", "k"},       {"Host", "here"},
      {"Content-Length", "3"},    {"X-Hop", "1"},           {"Connection", "close, x-hop"},
      {"x-ctxmgr-token", "t"},    {"Origin", "http://x"},   {"Accept-Encoding", "br"},
      {"anthropic-beta", "some"}, {"Content-Type", "json"}, {"Cookie", "c"}};
  EXPECT_THAT(to_send_on(request), UnorderedElementsAre(Pair("authorization", "k"), Pair("x-api-key", "k"),
                                                        Pair("anthropic-beta", "some"), Pair("content-type", "json")));
}

TEST(HeadersTest, WhatTheServiceSaysOfItsConnectionStaysHere) {
  const ctxmgr::HttpHeaders answer = {{"Transfer-Encoding", "chunked"},
                                      {"Content-Type", "a"},
                                      {"Retry-After", "3"},
                                      {"Connection", "X-Secret"},
                                      {"X-Ctxmgr-Page", "/?owner=of-another-proxy"},
                                      {"X-Secret", "s"}};
  EXPECT_THAT(to_send_back(answer), UnorderedElementsAre(Pair("retry-after", "3"), Pair("content-type", "a")));
  EXPECT_EQ(value_of(answer, "content-type"), "a");
  EXPECT_EQ(value_of(answer, "none"), "");
}

}  // namespace
}  // namespace ctxpack::serve::test
