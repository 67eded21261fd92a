#include "ctxmgr/ports/compaction_hook.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(CompactionHookTest, AHookThatOverridesNothingKeepsNothingAndSaysNothing) {
  CompactionHook hook;
  const std::vector<ConversationMessage> history = {{Role::user, "hello"}};
  const CompactionReport report;
  EXPECT_TRUE(hook.before_compaction({"scope", history, report}).empty());
  EXPECT_EQ(hook.after_compaction({"scope", history, report}), "");
}

}  // namespace
}  // namespace ctxmgr
