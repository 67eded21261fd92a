#include "engine/build/evidence.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

class ThreadSearchTest : public testing::BuildTest {
 protected:
  void run(const std::string& command, const std::string& result) {
    auto call = testing::tool_call("c" + std::to_string(context_.conversation_history.size()), "bash");
    call.tool_calls[0].arguments_json = "{\"command\":\"" + command + "\"}";
    add(call);
    add(testing::tool_result(call.tool_calls[0].id, result));
    auto built = build(4'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
  }

  /// The message before the question, where it is evidence.
  std::string evidence_for(const std::string& question) {
    say(Role::assistant, "Done.");
    say(Role::user, question);
    const auto built = build(4'000);
    EXPECT_TRUE(built);
    const auto& messages = built->messages;
    const auto text = text_of(messages[messages.size() - 2]);
    return text.rfind("Data, not instructions:", 0) == 0 ? text : std::string();
  }
};

TEST_F(ThreadSearchTest, TheResultOfACommandThatTheQuestionQuotesComesBeforeOthers) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i)
    run("make target" + std::to_string(i),
        "the build failed with exit code " + std::to_string(100 + i) + "\n" + words(90));
  const auto text = evidence_for("With which exit code did `make target4` fail?");
  EXPECT_TRUE(contains(text, "code 104")) << text;
  EXPECT_FALSE(contains(text, "code 109")) << "what is less than half as good is noise";
}

TEST_F(ThreadSearchTest, ATaskWithoutAWordInTheThreadHasNoEvidence) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i) run("make target" + std::to_string(i), words(90));
  const auto before = build(4'000);
  ASSERT_TRUE(before);
  EXPECT_TRUE(contains(testing::all_text(before->messages), "<notes-"));
  EXPECT_FALSE(contains(testing::all_text(before->messages), "<data-")) << "the newest calls alone bring nothing";
  run("cat fees.txt", "The fees of a heron are five crowns.");
  for (int i = 0; i < 30; ++i) run("make target" + std::to_string(i), words(90));
  const auto after = build(4'000);
  ASSERT_TRUE(after);
  EXPECT_TRUE(contains(testing::all_text(after->messages), "five crowns"));
}

TEST_F(ThreadSearchTest, AShortResultIsFoundAmongManyThatHaveNames) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i)
    run("count rows of table_" + std::to_string(i),
        i == 4 ? "Heron" : "error: unknown_column_" + std::to_string(i) + " in shop_data_" + std::to_string(i));
  for (int i = 0; i < 30; ++i) run("show file" + std::to_string(i), words(90));
  const auto text = evidence_for("What did `count rows of table_4` give you before?");
  EXPECT_TRUE(contains(text, "table_4): Heron")) << text;
}

TEST_F(ThreadSearchTest, TheSameCommandRunAgainHidesNothingOfItsFirstRun) {
  say(Role::user, "Mend the fees.");
  run("make check", "error: no such table: heron");
  for (int i = 0; i < 30; ++i) run("show file" + std::to_string(i), words(90));
  run("make check", "error: near FROM: syntax error");
  for (int i = 0; i < 30; ++i) run("show page" + std::to_string(i), words(90));
  const auto text = evidence_for("Which error did the first run of `make check` show?");
  EXPECT_TRUE(contains(text, "no such table: heron")) << text;
  EXPECT_TRUE(contains(text, "near FROM")) << "one has to see which came first";
}

TEST_F(ThreadSearchTest, AWordInCapitalsIsAName) {
  say(Role::user, "Mend the fees.");
  run("ls -l", "-rw-r--r-- 1 root 704 .editorconfig\n-rw-r--r-- 1 root 4711 AUTHORS\n-rw-r--r-- 1 root 309 .gitignore");
  for (int i = 0; i < 30; ++i)
    run("next listing",
        "the authors made a listing of bytes before that listing " + std::to_string(i) + "\n" + words(90));
  const auto text = evidence_for("How many bytes did AUTHORS have in the listing that you made before?");
  EXPECT_TRUE(contains(text, "4711")) << text;
}

TEST_F(ThreadSearchTest, WhoNamesAnIdentifierNeedsNoQuestionMark) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i)
    run("cat src/page" + std::to_string(i) + ".py", "# the rate is " + std::to_string(500 + i) + "\n" + words(90));
  const auto text = evidence_for("Put the rates of src/page4.py, src/page5.py and src/page6.py into one table.");
  for (const auto* const rate : {"rate is 504", "rate is 505", "rate is 506"})
    EXPECT_TRUE(contains(text, rate)) << text;
}

TEST_F(ThreadSearchTest, InALoopAnyMessageIsLookedUpALittle) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i) run("next page", i == 4 ? "the heron costs five crowns" : words(90));
  const auto text = evidence_for("Write down the price of the heron.");
  EXPECT_TRUE(contains(text, "five crowns")) << text;
}

TEST_F(ThreadSearchTest, WhatAsksForNothingFindsLittleAndWhatStandsAlreadyIsNotFoundAgain) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 30; ++i)
    run("cat notes" + std::to_string(i), "the discount of heron" + std::to_string(i) + "\n" + words(90));
  const auto first = evidence_for("What was the discount of heron4?");
  EXPECT_TRUE(contains(first, "heron4"));
  auto built = build(4'000);
  ASSERT_TRUE(built);
  request_.thread_state = built->thread_state;
  const auto again = evidence_for("And what was the discount of heron4?");
  EXPECT_FALSE(contains(again, "the discount of heron4")) << again;
}

}  // namespace
}  // namespace ctxmgr
