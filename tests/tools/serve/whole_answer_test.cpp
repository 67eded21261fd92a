#include "serve/whole_answer.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "tools/serve/scripted_answer.hpp"

namespace ctxpack::serve::test {
namespace {

std::unique_ptr<ctxmgr::HttpAnswer> answer_in(std::deque<std::string> pieces, bool breaks = false) {
  return std::make_unique<ScriptedAnswer>(std::move(pieces), breaks, 418, ctxmgr::HttpHeaders{{"a", "b"}});
}

std::string rest_of(ctxmgr::HttpAnswer& answer) {
  std::string all;
  while (auto bytes = answer.next({})) {
    if (!*bytes) return all;
    all += **bytes;
  }
  return all + "<broken>";
}

TEST(WholeAnswerTest, WhatWasReadIsPassedOnOnceWithStatusAndHeaders) {
  const auto answer = WholeAnswer::read(answer_in({"ab", "cd"}), 100, {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE((*answer)->has_ended());
  EXPECT_EQ((*answer)->body(), "abcd");
  EXPECT_EQ((*answer)->status(), 418);
  EXPECT_EQ((*answer)->headers().at(0).second, "b");
  EXPECT_EQ(rest_of(**answer), "abcd");
}

TEST(WholeAnswerTest, BeyondTheBoundTheRestComesAsItComes) {
  const auto answer = WholeAnswer::read(answer_in({"ab", "cd", "ef"}), 3, {});
  ASSERT_TRUE(answer);
  EXPECT_FALSE((*answer)->has_ended());
  EXPECT_EQ((*answer)->body(), "abcd");
  EXPECT_EQ(rest_of(**answer), "abcdef");
}

TEST(WholeAnswerTest, AnAnswerThatBreaksOffIsAnError) {
  const auto answer = WholeAnswer::read(answer_in({"ab"}, true), 100, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ctxmgr::ErrorCode::unavailable);
}

}  // namespace
}  // namespace ctxpack::serve::test
