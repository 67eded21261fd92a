#include "engine/history/changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChangesTest : public ::testing::Test {
 protected:
  void call(const std::string& name, const std::string& arguments, const std::string& result) {
    const auto id = "c" + std::to_string(history_.size());
    ConversationMessage made{Role::assistant};
    made.tool_calls.push_back({id, name, arguments});
    history_.push_back(made);
    ConversationMessage answer{Role::tool, result};
    answer.tool_call_id = id;
    history_.push_back(answer);
  }
  ThreadChanges& read() {
    changes_.extend(history_);
    return changes_;
  }

  std::vector<ConversationMessage> history_;
  ThreadChanges changes_;
};

TEST_F(ChangesTest, FilesThatToolsWriteAreNamedOnceAndReadOnesAreNot) {
  call("write_file", R"({"path":"src/a.cpp","content":"x"})", "ok");
  call("read_file", R"({"path":"src/b.cpp"})", "text");
  call("str_replace_editor", R"({"command":"view","path":"src/c.cpp"})", "text");
  call("str_replace_editor", R"({"command":"str_replace","path":"src/d.cpp","old_str":"a","new_str":"b"})", "ok");
  call("write_file", R"({"path":"src/a.cpp","content":"y"})", "ok");
  EXPECT_THAT(read().changed_before(history_.size()), ElementsAre("src/d.cpp", "src/a.cpp"));
  EXPECT_THAT(changes_.changed_before(2), ElementsAre("src/a.cpp"));
}

TEST_F(ChangesTest, FilesOfTemporaryFoldersStandBeforeAllOthers) {
  call("write_file", R"({"path":"src/a.cpp","content":"x"})", "ok");
  call("write_file", R"({"path":"/tmp/try.py","content":"x"})", "ok");
  call("bash", R"({"command":"date > /var/tmp/when"})", "");
  EXPECT_THAT(read().changed_before(history_.size()), ElementsAre("/tmp/try.py", "/var/tmp/when", "src/a.cpp"));
}

TEST_F(ChangesTest, CommandsThatWriteFilesAreKnown) {
  EXPECT_THAT(changed_by_command("cat a.txt | sort > out/b.txt 2> /dev/null"), ElementsAre("out/b.txt"));
  EXPECT_THAT(changed_by_command("sed -i 's/a/b/' src/x.py && git mv a.py b.py; rm -f old.log"),
              ElementsAre("src/x.py", "a.py", "b.py", "old.log"));
  EXPECT_THAT(changed_by_command("cat > new.py <<'EOF'\nrm other.py\nEOF\nls src"), ElementsAre("new.py"));
  EXPECT_THAT(changed_by_command("grep -n x src/a.py 2>&1 | head"), IsEmpty());
}

TEST_F(ChangesTest, ACommandThatWasRunAgainHasItsLastTwoOutcomes) {
  const std::string arguments = R"({"command":"ctest -R fees"})";
  call("bash", arguments, "Running\n2 failed");
  call("bash", R"({"command":"ls -l src"})", "a.cpp");
  call("bash", arguments, "Running\npassed");
  const auto runs = read().repeated_before(history_.size());
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].first.said, "2 failed");
  EXPECT_EQ(runs[0].second.said, "passed");
  EXPECT_EQ(runs[0].second.message, 5U);
  EXPECT_THAT(changes_.repeated_before(4), IsEmpty());
}

TEST_F(ChangesTest, TagsAroundAResultAreNotHowItEnded) {
  const std::string arguments = R"({"command":"make check"})";
  call("bash", arguments, "<returncode>2</returncode>\n<output>\nRunning\n3 failed\n</output>\n</result>");
  call("bash", arguments, "<returncode>0</returncode>\n<output>\n</output>");
  const auto& changes = read();
  const auto first = changes.repeated_before(4);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].first.said, "3 failed");
  EXPECT_EQ(first[0].second.said, "");
}

TEST_F(ChangesTest, RunsThatSayNothingHaveNoOutcomeUntilOneFails) {
  const std::string arguments = R"({"command":"python fix.py"})";
  const std::string quiet = "<returncode>0</returncode>\n<output>\n</output>";
  call("bash", arguments, quiet);
  call("bash", arguments, quiet);
  EXPECT_THAT(read().repeated_before(history_.size()), IsEmpty());
  call("bash", arguments, "python: can't open file 'fix.py'");
  const auto runs = read().repeated_before(history_.size());
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].first.said, "");
  EXPECT_EQ(runs[0].second.said, "python: can't open file 'fix.py'");
}

TEST_F(ChangesTest, ArgumentsThatAreNoJsonChangeNothing) {
  call("write_file", "{broken", "ok");
  EXPECT_THAT(read().changed_before(history_.size()), IsEmpty());
}

}  // namespace
}  // namespace ctxmgr::engine
