#include <algorithm>
#include <set>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::SpyArchive;
using testing::words;

class BuildArchiveTest : public testing::BuildTest {
 protected:
  void archive_in(SpyArchive::Mood mood) {
    archive_->mood = mood;
    request_.archive = archive_;
  }
  void attach_many(int count) {
    archive_in(SpyArchive::Mood::keeps);
    say(Role::user, "question");
    for (int i = 0; i < count; ++i) attach("document_" + std::to_string(i), words(150));
  }
  Result<BuiltContext> build_again(std::int64_t budget) {
    request_.budget.max_input_tokens = budget;
    return manager_.build(context_, request_);
  }
  void read_something(int i) {
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id, "read"));
    context_.conversation_history.back().tool_calls[0].arguments_json = R"({"path":"src/part)" + id + R"(.cpp"})";
    add(testing::tool_result(id, "See module_" + id + ".h. " + words(250, id + "_")));
  }
  static bool has_note(const BuiltContext& built, const std::string& part) {
    const auto& notes = built.metadata.notes;
    return std::any_of(notes.begin(), notes.end(), [&](const auto& note) { return contains(note, part); });
  }

  std::shared_ptr<SpyArchive> archive_ = std::make_shared<SpyArchive>();
  ContextManager manager_{options_};
};

TEST_F(BuildArchiveTest, WhatIsShortenedIsListedWithAHandleOnceItIsStored) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "question");
  attach("long", words(3'000));
  const auto built = build(800);
  ASSERT_TRUE(built);
  EXPECT_EQ(archive_->kept, std::vector<std::string>{"doc_long"});
  EXPECT_TRUE(contains(testing::all_text(built->messages), "get_context(\"doc_long\")"));
  EXPECT_EQ(built->metadata.artifacts_processed[0].reference, "get_context(\"doc_long\")");
}

TEST_F(BuildArchiveTest, NoHandleIsPromisedWhereNothingWasStored) {
  say(Role::user, "question");
  attach("long", words(3'000));
  for (const auto mood : {SpyArchive::Mood::fails, SpyArchive::Mood::throws}) {
    archive_in(mood);
    const auto built = build(800);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_FALSE(contains(testing::all_text(built->messages), "get_context"));
    EXPECT_TRUE(built->metadata.artifacts_processed[0].reference.empty());
  }
}

TEST_F(BuildArchiveTest, ADryRunStoresNothing) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "question");
  attach("long", words(3'000));
  request_.budget.max_input_tokens = 800;
  ASSERT_TRUE(ContextManager(options_).plan(context_, request_));
  EXPECT_TRUE(archive_->kept.empty());
}

TEST_F(BuildArchiveTest, WhatIsNotSentWholeIsStoredWhetherOrNotTheMessagesNameIt) {
  attach_many(60);
  for (const std::int64_t budget : {120, 300, 700, 1'500, 4'000}) {
    archive_->kept.clear();
    const auto built = build(budget);
    ASSERT_TRUE(built);
    const std::set<std::string> kept(archive_->kept.begin(), archive_->kept.end());
    EXPECT_EQ(kept.size(), archive_->kept.size()) << "none of them twice";
    for (const auto& record : built->metadata.artifacts_processed) {
      const bool whole = record.strategy == ProcessingStrategy::include_full;
      EXPECT_EQ(kept.count(record.artifact_id), whole ? 0U : 1U) << budget;
      EXPECT_EQ(record.reference.empty(), whole) << budget;
    }
    EXPECT_LE(built->metadata.input_tokens_used, budget);
  }
}

TEST_F(BuildArchiveTest, ItTakesOneCallForAllOfThem) {
  attach_many(200);
  ASSERT_TRUE(build(1'500));
  EXPECT_GT(archive_->kept.size(), 150U);
  EXPECT_EQ(archive_->calls, 1);
}

TEST_F(BuildArchiveTest, LaterBuildsStoreWhatIsNewAndMakeSureOfWhatTheyPromise) {
  attach_many(200);
  const auto first = build_again(1'500);
  ASSERT_TRUE(first);
  attach("new", words(150));
  archive_->kept.clear();
  archive_->calls = 0;
  const auto second = build_again(1'500);
  ASSERT_TRUE(second);
  EXPECT_LE(archive_->calls, 2);
  EXPECT_LT(archive_->kept.size(), 40U);
  const auto text = testing::all_text(second->messages);
  for (const auto& record : second->metadata.artifacts_processed) {
    if (record.strategy == ProcessingStrategy::include_full) continue;
    EXPECT_FALSE(record.reference.empty());
    if (!contains(text, record.reference)) continue;
    EXPECT_EQ(std::count(archive_->kept.begin(), archive_->kept.end(), record.artifact_id), 1);
  }
}

TEST_F(BuildArchiveTest, WhatCannotBeStoredAnyMoreIsNotPromised) {
  attach_many(20);
  ASSERT_TRUE(contains(testing::all_text(build_again(700)->messages), "get_context"));
  archive_->mood = SpyArchive::Mood::fails;
  const auto built = build_again(700);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(testing::all_text(built->messages), "get_context"));
  EXPECT_TRUE(has_note(*built, "could not be stored: unavailable"));
}

TEST_F(BuildArchiveTest, AnotherArchiveIsGivenEverything) {
  attach_many(200);
  ASSERT_TRUE(build_again(1'500));
  const auto all = archive_->kept;
  archive_ = std::make_shared<SpyArchive>();
  request_.archive = archive_;
  ASSERT_TRUE(build_again(1'500));
  EXPECT_EQ(archive_->kept, all);
}

TEST_F(BuildArchiveTest, OneThatIsRefusedIsNotedAndTheBuildGoesOn) {
  attach_many(20);
  archive_->refused = "doc_document_7";
  const auto built = build(300);
  ASSERT_TRUE(built);
  EXPECT_TRUE(has_note(*built, "1 of the artifacts that are not sent whole could not be stored: limit_exceeded"));
  for (const auto& record : built->metadata.artifacts_processed) {
    if (record.strategy == ProcessingStrategy::include_full) continue;
    EXPECT_EQ(record.reference.empty(), record.artifact_id == archive_->refused);
  }
}

TEST_F(BuildArchiveTest, WhatIsSteppedDownToFitInTheEndIsStoredToo) {
  archive_in(SpyArchive::Mood::keeps);
  // Together they count more than one by one.
  options_.token_counters = {make_token_counter([](std::string_view text) {
    const bool both = text.find("alpha0") != text.npos && text.find("beta0") != text.npos;
    return static_cast<std::int64_t>(both ? text.size() : text.size() / 4);
  })};
  say(Role::user, "question");
  attach("first", words(100, "alpha"));
  attach("second", words(100, "beta"));
  const auto built = build(700);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LT(built->metadata.artifacts_included, 2U);
  for (const auto& record : built->metadata.artifacts_processed)
    EXPECT_EQ(record.reference.empty(), record.strategy == ProcessingStrategy::include_full) << record.artifact_id;
}

TEST_F(BuildArchiveTest, MaskedResultsAreStoredTogetherAndOnce) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "Read them all.");
  for (int i = 0; i < 12; ++i) read_something(i);
  for (int i = 12; i < 16; ++i) {
    archive_->calls = 0;
    const auto built = build_again(3'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    EXPECT_LE(archive_->calls, 1) << i;
    read_something(i);
  }
  auto kept = archive_->kept;
  EXPECT_GT(kept.size(), 5U);
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end()) << "none of them twice";
}

TEST_F(BuildArchiveTest, NotesPromiseNothingThatCouldNotBeStored) {
  for (const auto mood : {SpyArchive::Mood::fails, SpyArchive::Mood::throws}) {
    archive_in(mood);
    context_ = {};
    request_.thread_state = {};
    say(Role::user, "Read them all.");
    bool compacted = false;
    for (int i = 0; i < 14; ++i) {
      read_something(i);
      const auto built = build_again(4'000);
      ASSERT_TRUE(built);
      request_.thread_state = built->thread_state;
      const auto sent = testing::all_text(built->messages);
      EXPECT_FALSE(contains(sent, "get_context"));
      if (!contains(sent, "not shown")) continue;
      compacted = true;
      EXPECT_TRUE(has_note(*built, "could not be stored"));
      EXPECT_LE(built->metadata.input_tokens_used, 4'000);
    }
    EXPECT_TRUE(compacted);
  }
}

TEST_F(BuildArchiveTest, TheLedgerSaysHowToReadWhatIsCut) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "Read them all.");
  std::string sent;
  for (int i = 0; i < 40; ++i) {
    read_something(i);
    const auto built = build_again(3'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    sent = testing::all_text(built->messages);
  }
  const auto notes = sent.find("Notes of earlier messages");
  ASSERT_NE(notes, std::string::npos);
  EXPECT_NE(sent.find(" <get_context(", notes), std::string::npos) << sent.substr(notes, 1'500);
  archive_->mood = SpyArchive::Mood::fails;
  const auto lost = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(lost);
  EXPECT_FALSE(contains(testing::all_text(lost->messages), "get_context"));
}

TEST_F(BuildArchiveTest, ADryRunSaysWhatABuildSendsAndStoresNothing) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "Read them all.");
  for (int i = 0; i < 12; ++i) read_something(i);
  request_.budget.max_input_tokens = 3'000;
  const auto preview = manager_.plan(context_, request_);
  ASSERT_TRUE(preview);
  EXPECT_EQ(archive_->calls, 0);
  const auto built = build_again(3'000);
  ASSERT_TRUE(built);
  EXPECT_EQ(archive_->calls, 1);
  EXPECT_EQ(preview->metadata.input_tokens_used, built->metadata.input_tokens_used);
}

TEST_F(BuildArchiveTest, TheIndexOfAVeryLongListIsByRelevance) {
  archive_in(SpyArchive::Mood::keeps);
  say(Role::user, "zebra1");
  for (int i = 0; i < 4'200; ++i) attach("other_" + std::to_string(i), words(12, "plain"));
  for (int i = 0; i < 3; ++i) attach("herd_" + std::to_string(i), words(2'700, "plain") + words(30, "zebra"));
  const auto built = build(4'000);
  ASSERT_TRUE(built);
  const auto text = testing::all_text(built->messages);
  const auto index = text.find("## Not whole");
  ASSERT_NE(index, std::string::npos);
  for (const std::string name : {"herd_0", "herd_1", "herd_2"})
    EXPECT_LT(text.find(name, index), text.find("other_", index)) << text.substr(index);
}

TEST_F(BuildArchiveTest, WithEverythingWholeNothingIsStored) {
  attach_many(3);
  ASSERT_TRUE(build(16'000));
  EXPECT_EQ(archive_->calls, 0);
}

}  // namespace
}  // namespace ctxmgr
