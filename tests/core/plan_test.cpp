#include "ctxmgr/core/plan.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(PlanTest, StrategiesAreWrittenByTheNameOfTheirEnumerator) {
  EXPECT_EQ(to_string(ProcessingStrategy::include_full), "include_full");
  EXPECT_EQ(to_string(ProcessingStrategy::exclude), "exclude");
}

}  // namespace
}  // namespace ctxmgr
