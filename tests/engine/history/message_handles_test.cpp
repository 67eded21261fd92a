#include "engine/history/message_handles.hpp"

#include "engine/history/thread_memo.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

class ThrowingArchive final : public ArtifactArchive {
 public:
  std::string reference_of(const Artifact&) const override { throw 42; }
  Result<std::string> keep(const Artifact&, const CallOptions&) override { return std::string(); }
};

class MessageHandlesTest : public ::testing::Test {
 protected:
  MessageHandlesTest() {
    auto calls = testing::tool_call("a");
    calls.tool_calls.push_back({"b", "read", "{}"});
    history_ = {{Role::user, "Read both."},
                calls,
                testing::tool_result("a", words(200)),
                testing::tool_result("b", words(400)),
                {Role::user, words(300)},
                {Role::assistant, words(300)}};
    EXPECT_TRUE(thread_.extend(history_, *make_approximate_token_counter()));
  }

  std::vector<ConversationMessage> history_;
  ThreadAnalysis thread_;
  ThreadMemo memo_;
  std::shared_ptr<ArtifactArchive> archive_ = std::make_shared<testing::SpyArchive>();
};

TEST_F(MessageHandlesTest, AHandleIsWhatTheArchiveSaysOfTheMessage) {
  MessageHandles handles(archive_, history_, thread_, memo_);
  EXPECT_EQ(handles.of(2), archive_->reference_of(artifact_of_message(history_, 2)));
  handles.lose(2);
  EXPECT_EQ(handles.of(2), "");
  EXPECT_NE(handles.of(3), "");
}

TEST_F(MessageHandlesTest, WithoutAnArchiveThereIsNone) {
  const std::shared_ptr<ArtifactArchive> none;
  MessageHandles handles(none, history_, thread_, memo_);
  EXPECT_FALSE(handles.any());
  EXPECT_EQ(handles.of(2), "");
}

TEST_F(MessageHandlesTest, AnotherArchiveHoldsNothingYet) {
  MessageHandles first(archive_, history_, thread_, memo_);
  first.kept().messages.insert(2);
  EXPECT_EQ(MessageHandles(archive_, history_, thread_, memo_).kept().messages.size(), 1U);
  const std::shared_ptr<ArtifactArchive> other = std::make_shared<testing::SpyArchive>();
  EXPECT_TRUE(MessageHandles(other, history_, thread_, memo_).kept().messages.empty());
}

TEST_F(MessageHandlesTest, AnArchiveThatThrowsCostsTheHandle) {
  const std::shared_ptr<ArtifactArchive> archive = std::make_shared<ThrowingArchive>();
  EXPECT_EQ(MessageHandles(archive, history_, thread_, memo_).of(2), "");
}

}  // namespace
}  // namespace ctxmgr::engine
