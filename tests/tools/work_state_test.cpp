#include "work_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "account.hpp"
#include "tools/character_counter.hpp"

namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;
using ctxpack::endings_of;
using ctxpack::Measure;
using ctxpack::written_by;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WorkStateTest : public ::testing::Test {
 protected:
  void call(const std::string& name, const std::string& arguments, const std::string& result) {
    const auto id = "c" + std::to_string(run.messages.size());
    ConversationMessage message{Role::assistant, ""};
    message.tool_calls.push_back({id, name, arguments, {}});
    run.messages.push_back(message);
    run.messages.push_back({Role::tool, result});
    run.messages.back().tool_call_id = id;
  }

  void shell(const std::string& command, const std::string& result) {
    call("bash", R"({"command": ")" + command + "\"}", result);
  }

  /// Of a request before another reply that has these texts.
  ctxpack::Recall recall(Measure measure, const std::vector<std::string>& sent) {
    run.messages.push_back({Role::assistant, "on"});
    const auto there = recall_at(run.messages.size() - 1, measure, sent);
    run.messages.pop_back();
    return there;
  }

  ctxpack::Recall recall_at(std::size_t step, Measure measure, const std::vector<std::string>& sent) {
    ctxpack::Scale scale;
    scale.wants = ctxpack::wanted_of(run, 100'000);
    const ctxpack::test::CharacterCounter counter;
    ctxpack::MessagePool pool(run, counter);
    ctxpack::Account account(pool, scale);
    std::vector<std::size_t> request;
    for (const auto& text : sent) request.push_back(pool.add({Role::user, text}));
    account.sent(step, request);
    return account.figures().recall(measure);
  }

  ctxpack::RecordedRun run{"agent/one", {{Role::user, "Fix the late fee"}}, {}};
};

TEST_F(WorkStateTest, ACommandThatRanTwiceHasItsNewestOutcome) {
  shell("pytest -q", "F..\n3 failed, 1 passed in 2.1s");
  EXPECT_EQ(recall(Measure::outcomes, {}).asked, 0);
  shell("cd src && pytest -q", "F..\n2 failed, 2 passed in 2.0s");
  const auto there = recall(Measure::outcomes, {"[4] pytest -q: 2 failed"});
  EXPECT_EQ(there.asked, 1);
  EXPECT_EQ(there.found, 1);
  EXPECT_EQ(recall(Measure::outcomes, {"[2] pytest -q: 3 failed, 1 passed in 2.1s"}).found, 0) << "that is an old one";
  EXPECT_EQ(recall(Measure::outcomes, {"pytest -q"}).found, 0);
}

TEST_F(WorkStateTest, CommandsThatOnlyLookHaveNoOutcome) {
  for (int i = 0; i < 2; ++i) {
    shell("cat src/fees.py", "rate = 7");
    shell("git diff", "+rate = 7");
  }
  EXPECT_EQ(recall(Measure::outcomes, {}).asked, 0);
}

TEST_F(WorkStateTest, AnEditHasItsNewestOutcomeAndNotItsNameAlone) {
  call("edit", R"({"path": "src/fees.py", "old_str": "rate = 7", "new_str": "rate = 8"})", "The file was edited.");
  EXPECT_EQ(recall(Measure::outcomes, {"changed: src/fees.py, src/token.py"}).found, 0) << "a token is not ok";
  EXPECT_EQ(recall(Measure::outcomes, {"[2] edit src/fees.py: ok"}).found, 1);
  call("edit", R"({"path": "src/fees.py", "old_str": "rate = 9", "new_str": "rate = 8"})",
       "ERROR: old_str was not found.");
  const auto stale = recall(Measure::outcomes, {"[2] edit src/fees.py: ok"});
  EXPECT_EQ(stale.asked, 1) << "one file";
  EXPECT_EQ(stale.found, 0);
  EXPECT_EQ(recall(Measure::outcomes, {"[4] edit src/fees.py: failed"}).found, 1);
}

TEST_F(WorkStateTest, AnEditWantsTheLinesOfItsPlaceThatTheThreadHas) {
  shell("cat src/fees.py", "def late_fee(days):\n    return days * 7");
  shell("cat src/names.py", "def another_name(days):");
  call(
      "edit",
      R"({"path": "src/fees.py", "old_str": "    return days * 7", "new_str": "    return days * 8\ndef another_name(days):"})",
      "ok");
  ctxpack::Wants wants(run.messages.size());
  ctxpack::want_work_state(run.messages, wants);
  std::vector<std::string> lines;
  for (const auto* wanted : wants.by_step[5])
    if (wanted->measure == Measure::texts) lines = wanted->texts;
  EXPECT_THAT(lines, ElementsAre("return days * 7")) << "what is new, or of another file, nobody can know";
}

TEST_F(WorkStateTest, AShellsEditWantsWhatItReplacesAndNotItsOwnWords) {
  shell("cat src/fees.py", "def late_fee(days):\n    return days * 7");
  shell("cat <<'EOF' > src/fees.py\\ndef late_fee(days):\\n    return 0\\nEOF", "");
  EXPECT_EQ(recall_at(3, Measure::texts, {"def late_fee(days):"}).found, 1);
  shell("sed -i 's/def late_fee(days)/def fee(days)/' src/fees.py", "");
  EXPECT_EQ(recall_at(5, Measure::texts, {"def late_fee(days):"}).found, 1);
  EXPECT_EQ(recall_at(5, Measure::texts, {"late_fee"}).found, 0);
}

TEST_F(WorkStateTest, WithoutCallsTheCodeBlocksAct) {
  for (const char* result : {"1 failed", "3 passed"}) {
    run.messages.push_back({Role::assistant, "Now:\n```bash\nsed -i 's/7/8/' src/fees.py\n```"});
    run.messages.push_back({Role::user, "<returncode>0</returncode>\n<output>\n</output>"});
    run.messages.push_back({Role::assistant, "```bash\nmake test\n```"});
    run.messages.push_back({Role::user, result});
  }
  const auto there = recall(Measure::outcomes, {"make test: 3 passed", "src/fees.py: done"});
  EXPECT_EQ(there.asked, 2);
  EXPECT_EQ(there.found, 2);
}

TEST(WorkStateTextTest, ACommandWritesBehindItsRedirectionsAndNotInHereDocuments) {
  EXPECT_THAT(written_by("cat <<'EOF' > a/b.py\nif x > y.z:\nEOF\necho 1 >> log.txt"),
              ElementsAre("a/b.py", "log.txt"));
  EXPECT_THAT(written_by("cd x && sed -i 's/a > b.c/d/' src/f.py | tee out.log"), ElementsAre("src/f.py", "out.log"));
  EXPECT_THAT(written_by("make 2>&1 > /dev/null; sed -n 1,5p a.py; grep '> a.py' b.py"), IsEmpty());
}

TEST(WorkStateTextTest, CountsSayHowAResultEndedElseItsLastLinesAndItsErrors) {
  EXPECT_THAT(endings_of("x\n==== 2 failed, 1 passed in 0.3s ===="), ElementsAre("2 failed"));
  EXPECT_THAT(endings_of("Ran 9 tests\n\nFAILED (failures=3)"), ElementsAre("failures=3"));
  EXPECT_THAT(endings_of("<output>\nImportError: no module\nb\nc\nd\n</output>"),
              ElementsAre("d", "c", "b", "ImportError: no module"));
  EXPECT_THAT(endings_of("<returncode>0</returncode>\n<output>\n</output>"), Contains("ok"));
  EXPECT_THAT(endings_of("<returncode>2</returncode>\n<output>\n</output>"), Contains("failed"));
}

}  // namespace
