#include "core/real_number.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ctxmgr {
namespace {

TEST(RealNumberTest, ReadsAWholeDecimalNumber) {
  EXPECT_EQ(read_real("-1.5e3"), -1500.0);
  EXPECT_EQ(read_real("0.1"), 0.1);
  for (const auto* const text : {"", "1.5x", " 1", "+1", "1,5"}) EXPECT_EQ(read_real(text), std::nullopt) << text;
}

TEST(RealNumberTest, WhatNoDoubleHoldsIsInfiniteOrNothing) {
  EXPECT_EQ(read_real("1e400"), HUGE_VAL);
  EXPECT_EQ(read_real("-1e400"), -HUGE_VAL);
  EXPECT_EQ(read_real("1" + std::string(400, '0')), HUGE_VAL);
  EXPECT_EQ(read_real("1e-400"), 0.0);
  EXPECT_EQ(read_real("0." + std::string(400, '0') + "1"), 0.0);
}

}  // namespace
}  // namespace ctxmgr
