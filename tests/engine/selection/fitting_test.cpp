#include "engine/selection/fitting.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ctxmgr::engine {
namespace {

RC_GTEST_PROP(FittingPropertyTest, FindsTheMostThatFitInFewQuestions, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 5000);
  const auto most = *rc::gen::inRange<std::size_t>(0, 5000);
  std::size_t asked = 0;
  const std::size_t found = most_that_fit(count, [&](std::size_t n) {
    ++asked;
    return n <= most;
  });
  RC_ASSERT(found == std::min(count, most));
  RC_ASSERT(asked <= 27U);
}

TEST(FittingTest, WhatNearlyFitsIsFoundAtOnce) {
  std::size_t asked = 0;
  EXPECT_EQ(most_that_fit(1'000'000, [&](std::size_t n) { return ++asked, n < 1'000'000; }), 999'999U);
  EXPECT_EQ(asked, 2U);
}

TEST(FittingTest, NothingFitsWithoutBeingAsked) {
  EXPECT_EQ(most_that_fit(3, [](std::size_t n) { return n == 0 ? throw 1 : false; }), 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
