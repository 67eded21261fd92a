#include "engine/build/parts.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

class ShrinkTest : public ::testing::Test {
 protected:
  ShrinkTest() {
    context_.conversation_history = {{Role::user, "question"}};
    for (const char* id : {"a", "b"}) {
      context_.conversation_history.push_back(testing::tool_call(id));
      context_.conversation_history.push_back(testing::tool_result(id, words(100)));
    }
    EXPECT_TRUE(thread_.extend(context_.conversation_history, *counter_));
    views_ = std::make_unique<ToolResultViews>(context_.conversation_history, thread_, retriever_, *counter_, nullptr);
    suffixes_ = std::make_unique<SuffixPlanner>(thread_, 0, *views_);
    parts_.suffix = suffixes_->everything();
    parts_.fixed.tokens = counter_->reply_priming_tokens() + thread_.tokens_of(0);
    for (std::size_t i = 0; i < 2; ++i) parts_.block.entries.push_back({i, "## document", words(100)});
    parts_.block.index.push_back({1, "- document"});
  }
  std::int64_t tokens() { return tokens_of(parts_, source()); }
  std::size_t shrink_by(std::int64_t tokens_less) {
    const auto smaller = [this](const BlockEntry& entry, std::int64_t) -> std::optional<BlockEntry> {
      if (!has_smaller_) return std::nullopt;
      return BlockEntry{entry.item, entry.header, words(20)};
    };
    return shrink_to(tokens() - tokens_less, parts_, source(), {1, 0}, smaller);
  }
  AssemblySource source() { return {context_, thread_, *suffixes_, *views_, *counter_, 0}; }

  Context context_;
  ThreadAnalysis thread_;
  Retriever retriever_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  std::unique_ptr<ToolResultViews> views_;
  std::unique_ptr<SuffixPlanner> suffixes_;
  Parts parts_;
  bool has_smaller_ = true;
};

TEST_F(ShrinkTest, CountsWhatTheAssembledListCounts) {
  EXPECT_EQ(tokens(), count_messages(*counter_, assemble(parts_, source()).messages));
}

TEST_F(ShrinkTest, LeavesWhatFitsAlone) {
  EXPECT_EQ(shrink_by(0), 0U);
  EXPECT_EQ(parts_.block.entries.size(), 2U);
}

TEST_F(ShrinkTest, TheLeastImportantEntryIsShortenedFirst) {
  EXPECT_EQ(shrink_by(10), 1U);
  ASSERT_EQ(parts_.block.entries.size(), 2U);
  EXPECT_EQ(parts_.block.entries[1].text, words(20));
  EXPECT_EQ(parts_.block.entries[0].text, words(100));
}

TEST_F(ShrinkTest, AnEntryWithoutASmallerViewIsTakenOutAndCountedOnce) {
  has_smaller_ = false;
  EXPECT_EQ(shrink_by(10), 1U);
  EXPECT_EQ(parts_.block.entries.size(), 1U);
  EXPECT_EQ(parts_.block.not_listed, 0U);  // It has a line in the index.
  (void)shrink_by(100);
  EXPECT_EQ(parts_.block.not_listed, 1U);
}

TEST_F(ShrinkTest, ThenGroupsGo) {
  parts_.block = {};
  (void)shrink_by(30);
  EXPECT_GT(parts_.suffix.cut, 0U);
}

TEST_F(ShrinkTest, NothingButTheFixedPartsIsLeftAtLast) {
  (void)shrink_by(1'000'000);
  EXPECT_EQ(tokens(), parts_.fixed.tokens);
}

}  // namespace
}  // namespace ctxmgr::engine
