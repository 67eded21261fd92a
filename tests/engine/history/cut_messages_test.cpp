#include "engine/history/cut_messages.hpp"

#include "engine/history/thread_memo.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

class CutMessagesTest : public ::testing::Test {
 protected:
  CutMessagesTest() {
    history_ = {{Role::system, "Be brief."}};
    for (int i = 0; i < 40; ++i) {
      const auto id = "call" + std::to_string(i);
      history_.push_back(testing::tool_call(id));
      history_.push_back(testing::tool_result(id, i % 2 == 0 ? words(300) : "short " + std::to_string(i)));
    }
    EXPECT_TRUE(thread_.extend(history_, *make_approximate_token_counter()));
  }

  std::vector<ConversationMessage> history_;
  ThreadAnalysis thread_;
  ThreadMemo memo_;
};

TEST_F(CutMessagesTest, StretchesCoverEverythingBeforeTheCutAndNothingTwice) {
  for (const std::size_t cut : {0U, 3U, 41U, 81U}) {
    std::size_t next = 0;
    for (const auto& stretch : stretches_before(cut, thread_)) {
      EXPECT_EQ(stretch.first, next);
      next = stretch.last;
    }
    EXPECT_EQ(next, cut);
  }
}

TEST_F(CutMessagesTest, AllButTheLastAreTheSameForALaterCut) {
  const auto early = stretches_before(51, thread_);
  const auto late = stretches_before(81, thread_);
  ASSERT_GT(early.size(), 2U);
  for (std::size_t i = 0; i + 1 < early.size(); ++i) {
    EXPECT_EQ(early[i].first, late[i].first);
    EXPECT_EQ(early[i].last, late[i].last);
  }
}

TEST_F(CutMessagesTest, AStretchIsReadableTextWithNumbersCallsAndHandles) {
  const std::shared_ptr<ArtifactArchive> archive = std::make_shared<testing::SpyArchive>();
  MessageHandles handles(archive, history_, thread_, memo_);
  const auto artifact = artifact_of_stretch(history_, {0, 5}, handles);
  EXPECT_EQ(artifact.artifact_id, "messages_1_to_5");
  EXPECT_FALSE(contains(artifact.content, "Be brief."));
  EXPECT_TRUE(contains(artifact.content, "[3] ")) << artifact.content;
  EXPECT_TRUE(contains(artifact.content, ": " + handles.of(2))) << artifact.content;
  EXPECT_TRUE(contains(artifact.content, ": tool: short 1")) << artifact.content;
}

}  // namespace
}  // namespace ctxmgr::engine
