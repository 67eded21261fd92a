#include "core/history/open_calls.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

/// The message whose call is answered; -1: none.
int answered(OpenCalls& calls, const std::string& id, const std::string& agent = "") {
  const auto place = calls.answer(id, agent);
  return place ? static_cast<int>(place->message) : -1;
}

TEST(OpenCallsTest, AResultAnswersTheNearestOpenCallOfItsId) {
  OpenCalls calls;
  calls.open("x", "", 1);
  calls.open("y", "", 2);
  calls.open("x", "", 3);
  EXPECT_EQ(answered(calls, "x"), 3);
  EXPECT_EQ(answered(calls, "x"), 1);
  EXPECT_EQ(answered(calls, "x"), -1);
  EXPECT_EQ(answered(calls, "y"), 2);
}

TEST(OpenCallsTest, AgentsThatCallAnswerTheirOwnCallsOnly) {
  OpenCalls calls;
  calls.open("x", "a", 1);
  calls.open("x", "b", 2);
  EXPECT_EQ(answered(calls, "x", "a"), 1);
  EXPECT_EQ(answered(calls, "x", "a"), -1);
  EXPECT_EQ(answered(calls, "x", "b"), 2);
}

TEST(OpenCallsTest, WhoeverRunsToolsAnswersAnybodysCalls) {
  OpenCalls calls;
  calls.open("x", "a", 1);
  calls.open("x", "", 2);
  calls.open("y", "b", 3);
  EXPECT_EQ(answered(calls, "x", "runner"), 2);
  EXPECT_EQ(answered(calls, "x", "runner"), 1);
  EXPECT_EQ(answered(calls, "y"), 3) << "a result of nobody";
}

TEST(OpenCallsTest, ACallOfNobodyMayBeAnsweredByACaller) {
  OpenCalls calls;
  calls.open("x", "", 1);
  calls.open("z", "a", 2);
  EXPECT_EQ(answered(calls, "x", "a"), 1);
}

TEST(OpenCallsTest, DoubledIdsOfOneMessageAreAnsweredInTheirOrder) {
  OpenCalls calls;
  calls.open("x", "", 1, 0);
  calls.open("x", "", 1, 1);
  EXPECT_EQ(calls.answer("x", "")->call, 0U);
  EXPECT_EQ(calls.answer("x", "")->call, 1U);
}

TEST(OpenCallsTest, WhatWasClosedIsNotAnswered) {
  OpenCalls calls;
  calls.open("x", "a", 1);
  calls.close_all();
  calls.open("x", "b", 2);
  EXPECT_EQ(answered(calls, "x", "a"), -1) << "a has called before, and b's call is not its own";
}

}  // namespace
}  // namespace ctxmgr
