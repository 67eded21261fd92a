#include "engine/history/thread_memo.hpp"

#include "engine/history/thread_head.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

TEST(ThreadMemoTest, ForgetsWhatWasMadeOfGroupsAndKeepsWhatWasMadeOfMessages) {
  ThreadMemo memo;
  memo.head = std::make_shared<const ThreadHead>();
  memo.selection = std::make_shared<const Selection>();
  memo.kept.messages.insert(3);
  memo.shortened.front().message = 5;
  memo.told.push_back({{1, 4}, "what was said"});
  memo.forget_groups();
  EXPECT_EQ(memo.head, nullptr);
  EXPECT_EQ(memo.selection, nullptr);
  EXPECT_TRUE(memo.kept.messages.empty());
  EXPECT_EQ(memo.shortened.front().message, 5U);
  EXPECT_EQ(memo.told.size(), 1U);
}

TEST(ThreadMemoTest, CountsTheTextsThatWereSelected) {
  ThreadMemo memo;
  EXPECT_EQ(memo.bytes(), 0U);
  Selection selection;
  selection.chosen.emplace_back();
  selection.chosen.back().text = std::string(1'000, 'x');
  memo.selection = std::make_shared<const Selection>(selection);
  EXPECT_GE(memo.bytes(), 1'000U);
  const auto before = memo.bytes();
  memo.kept.handles[1] = "ctx:1";
  EXPECT_GT(memo.bytes(), before);
}

}  // namespace
}  // namespace ctxmgr::engine
