#include "engine/history/refetches.hpp"

#include "engine/history/thread_analysis.hpp"
#include "engine/index/call_subject.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

class RefetchesTest : public testing::BuildTest {
 protected:
  void read(const std::string& path, const std::string& result = "some lines", const std::string& tool = "read_file") {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    add(testing::tool_call(id, tool));
    context_.conversation_history.back().tool_calls[0].arguments_json = R"({"path":")" + path + R"("})";
    add(testing::tool_result(id, result));
  }
  void pass(int messages) {
    for (int i = 0; i < messages; ++i) say(Role::assistant, "On it goes.");
  }
  double source_of(const std::string& path) {
    ThreadAnalysis thread;
    EXPECT_TRUE(thread.extend(context_.conversation_history, *counter_));
    MessageHandles handles(archive_, context_.conversation_history, thread);
    const auto found = find_refetches(context_.conversation_history, context_.conversation_history.size(), {}, &handles,
                                      archive_.get());
    return found.of_source(subject_of("read_file({\"path\":\"" + path + "\"})").subject);
  }

  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
  std::shared_ptr<ArtifactArchive> archive_;
};

TEST_F(RefetchesTest, ACallThatWasMadeBeforeSpeaksForItsSourceAndLessTheLongerAgo) {
  read("a.cpp");
  read("b.cpp");
  pass(10);
  EXPECT_EQ(source_of("a.cpp"), 0);
  read("a.cpp");
  const auto now = source_of("a.cpp");
  EXPECT_GT(now, 0.9);
  EXPECT_EQ(source_of("b.cpp"), 0);
  pass(50);
  EXPECT_NEAR(source_of("a.cpp"), now / 2, 0.01);
  pass(200);
  EXPECT_EQ(source_of("a.cpp"), 0);
}

TEST_F(RefetchesTest, HoweverOftenItIsBounded) {
  for (int i = 0; i < 40; ++i) read("a.cpp");
  EXPECT_EQ(source_of("a.cpp"), 1);
  EXPECT_LE(Refetches::prior(5, 1), 1.35);
}

TEST_F(RefetchesTest, WhatWasChangedOrHadFailedIsReadAnewWithoutRegret) {
  read("a.cpp");
  read("a.cpp", "written", "edit_file");
  read("a.cpp");
  EXPECT_EQ(source_of("a.cpp"), 0);
  read("b.cpp", "Error: no such file or directory: b.cpp");
  read("b.cpp");
  EXPECT_EQ(source_of("b.cpp"), 0);
}

TEST_F(RefetchesTest, WhatIsReadBackByItsHandleSpeaksForTheCallThatBroughtIt) {
  archive_ = std::make_shared<testing::SpyArchive>();
  read("a.cpp", words(400));
  const auto reference = archive_->reference_of(artifact_of_message(context_.conversation_history, 1));
  pass(3);
  EXPECT_EQ(source_of("a.cpp"), 0);
  const auto open = reference.find("(\"") + 2;
  add(testing::tool_call("back", reference.substr(0, reference.find('('))));
  context_.conversation_history.back().tool_calls[0].arguments_json =
      R"({"key":")" + reference.substr(open, reference.find('"', open) - open) + R"("})";
  add(testing::tool_result("back", words(100)));
  EXPECT_GT(source_of("a.cpp"), 0.9);
}

TEST_F(RefetchesTest, WhereItDecidesTheReceiptSaysSo) {
  request_.history.evidence_share = 0.3;
  for (const std::string name : {"a", "b", "c", "d", "e", "f"})
    read(name + ".cpp", "The zebra of " + name + " eats apples. " + words(150, name));
  read("c.cpp", "The zebra of c eats apples. " + words(150, "c"));
  pass(20);
  say(Role::user, "What does the zebra eat?");
  const auto built = build(700);
  ASSERT_TRUE(built) << built.error().message;
  const auto said = [](const std::vector<std::string>& notes) {
    return std::any_of(notes.begin(), notes.end(), [](const auto& note) { return contains(note, "fetched again"); });
  };
  EXPECT_TRUE(said(built->metadata.notes));
  EXPECT_TRUE(contains(testing::all_text(built->messages), "zebra of c"));
}

TEST_F(RefetchesTest, AThreadThatIsTooLargeForTheCacheGivesTheSameBytes) {
  for (int i = 0; i < 60; ++i) read("m" + std::to_string(i) + ".cpp", "The zebra eats apples. " + words(60, "w"));
  for (int i = 55; i < 60; ++i) read("m" + std::to_string(i) + ".cpp", "The zebra eats apples. " + words(60, "w"));
  say(Role::user, "What does the zebra eat?");
  request_.history.evidence_share = 0.4;
  request_.budget.max_input_tokens = 2'000;
  auto small = options_;
  small.analysis_cache_bytes = 40'000;
  ContextManager with_room(options_);
  ContextManager without(small);
  for (int i = 0; i < 6; ++i) {
    const auto state = request_.thread_state;
    const auto kept = with_room.build(context_, request_);
    const auto forgot = without.build(context_, request_);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_TRUE(forgot) << forgot.error().message;
    EXPECT_EQ(to_openai_json(forgot->messages), to_openai_json(kept->messages)) << i;
    request_.thread_state = kept->thread_state;
    add(testing::tool_call("step" + std::to_string(i)));
    add(testing::tool_result("step" + std::to_string(i), "nothing"));
  }
}

}  // namespace
}  // namespace ctxmgr::engine
