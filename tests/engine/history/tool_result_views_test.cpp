#include "engine/history/tool_result_views.hpp"

#include "engine/history/thread_memo.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::SpyArchive;
using testing::words;

class ToolResultViewsTest : public ::testing::Test {
 protected:
  ToolResultViewsTest() {
    history_ = {{Role::user, "Where is the zebra?"},
                testing::tool_call("a"),
                testing::tool_result("a", words(300) + "\nThe zebra is in the barn.\n" + words(300)),
                testing::tool_call("b"),
                testing::tool_result("b", "ok")};
  }
  ToolResultViews views(const std::shared_ptr<ArtifactArchive>& archive = nullptr) {
    EXPECT_TRUE(thread_.extend(history_, *counter_));
    given_ = archive;
    handles_ = std::make_unique<MessageHandles>(given_, history_, thread_, memo_);
    return {history_, thread_, retriever_, *counter_, handles_.get()};
  }

  std::vector<ConversationMessage> history_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  Retriever retriever_;
  ThreadAnalysis thread_;
  ThreadMemo memo_;
  std::shared_ptr<SpyArchive> archive_ = std::make_shared<SpyArchive>();
  std::shared_ptr<ArtifactArchive> given_;
  std::unique_ptr<MessageHandles> handles_;
};

TEST_F(ToolResultViewsTest, AnExtractAnswersTheTurnThatAskedForIt) {
  auto all = views();
  const auto& extract = all.extracted(2, 60);
  EXPECT_TRUE(contains(text_of(extract.message), "zebra is in the barn"));
  EXPECT_TRUE(contains(text_of(extract.message), "extract of"));
  EXPECT_LE(extract.tokens, 70);
}

TEST_F(ToolResultViewsTest, ViewsKeepTheirBytesWhenTheThreadGoesOn) {
  auto early = views();
  const auto extract = text_of(early.extracted(2, 60).message);
  history_.push_back({Role::user, "And now for filler3?"});
  auto late = views();
  EXPECT_EQ(text_of(late.extracted(2, 60).message), extract);
}

TEST_F(ToolResultViewsTest, AViewSaysHowToReadTheWholeAndStoresNothing) {
  auto kept = views(archive_);
  const auto& extract = kept.extracted(2, 60);
  EXPECT_FALSE(extract.reference.empty());
  EXPECT_TRUE(contains(text_of(extract.message), extract.reference));
  EXPECT_EQ(archive_->calls, 0);
}

TEST_F(ToolResultViewsTest, AHandleThatIsLostIsPromisedNoMore) {
  auto all = views(archive_);
  EXPECT_FALSE(all.extracted(2, 60).reference.empty());
  handles_->lose(2);
  all.forget();
  EXPECT_FALSE(contains(text_of(all.extracted(2, 60).message), "get_context"));
}

TEST_F(ToolResultViewsTest, ImagesOfAShortenedResultAreNamed) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:,x"}})";
  history_[2].content = std::vector<ContentPart>{{PartKind::text, words(300), {}}, {PartKind::image, {}, image}};
  auto all = views();
  EXPECT_TRUE(contains(text_of(all.extracted(2, 60).message), "[left out: image]"));
  EXPECT_LE(all.extracted(2, 60).tokens, 80);
}

TEST_F(ToolResultViewsTest, ImagesThatFitIntoAnExtractStay) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:,x"}})";
  history_[2].content = std::vector<ContentPart>{{PartKind::text, words(3'000), {}}, {PartKind::image, {}, image}};
  history_[0].content = "Where is filler1?";
  auto all = views();
  const auto target = 2 * binary_part_tokens;
  const auto& extract = all.extracted(2, target);
  EXPECT_LE(extract.tokens, target + 10);
  EXPECT_TRUE(extract.shorter);
  const bool kept = std::holds_alternative<std::vector<ContentPart>>(extract.message.content);
  EXPECT_NE(kept, contains(text_of(extract.message), "left out: image"));
}

}  // namespace
}  // namespace ctxmgr::engine
