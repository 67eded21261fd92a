#include "engine/history/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The step of one call, "did: ended"; empty where it left no trace.
std::string trace_of(const std::string& name, const std::string& arguments, const std::string& result) {
  ConversationMessage made{Role::assistant};
  made.tool_calls.push_back({"c", name, arguments});
  ConversationMessage answer{Role::tool, result};
  answer.tool_call_id = "c";
  const auto step = traced_step({made, answer}, 1);
  return step ? step->did + ": " + step->ended : std::string();
}

std::string trace_of_command(const std::string& command, const std::string& result) {
  return trace_of("bash", R"({"command":")" + command + R"("})", result);
}

TEST(TraceTest, WhatWritesAFileIsTracedAndWhatReadsOneIsNot) {
  EXPECT_EQ(trace_of("write_file", R"({"path":"src/a.cpp","content":"x"})", "done"), "write_file src/a.cpp: ok");
  EXPECT_EQ(trace_of("read_file", R"({"path":"src/b.cpp"})", "text"), "");
  EXPECT_EQ(trace_of("mcp__github__get_file_contents", R"({"path":"src/b.cpp"})", "text"), "");
  EXPECT_EQ(trace_of("str_replace_editor", R"({"command":"view","path":"src/c.cpp"})", "text"), "");
  EXPECT_EQ(trace_of("cancel_booking", R"({"id":"B-17"})", "cancelled"), "cancel_booking B-17: cancelled");
}

TEST(TraceTest, AnEditIsTracedWithTheFirstNameInIt) {
  const std::string edit =
      R"({"command":"str_replace","path":"src/d.cpp","old_str":"int late_fee() {","new_str":"int late_fee(int days) {"})";
  EXPECT_EQ(trace_of("str_replace_editor", edit, "The file was edited. Review it."),
            "str_replace_editor src/d.cpp late_fee: ok");
  EXPECT_EQ(trace_of("str_replace_editor", edit, "Error: no match"), "str_replace_editor src/d.cpp late_fee: failed");
}

TEST(TraceTest, ACommandIsTracedWithItsLastLineUnlessItOnlyShowsWhatIsThere) {
  EXPECT_EQ(trace_of_command("cd /srv/library && pytest -q", "..F\n2 failed, 7 passed"),
            "pytest -q: 2 failed, 7 passed");
  EXPECT_EQ(trace_of_command("pytest -q tests", "running\n2 failed"), "pytest -q tests: 2 failed");
  EXPECT_EQ(trace_of_command("pytest", "..\n====== 2 passed in 0.71s ======"), "pytest: 2 passed in 0.71s");
  EXPECT_EQ(trace_of_command("./sum", "-3"), "./sum: -3");
  EXPECT_EQ(trace_of_command("make -j 2", "<returncode>0</returncode>\n<output>\n</output>"), "make -j 2: ok");
  EXPECT_EQ(trace_of_command("make check", "<returncode>2</returncode>\n<output>\n</output>"), "make check: failed");
  EXPECT_EQ(trace_of_command("cd src && grep -n fee a.py | head", "3: fee"), "");
  EXPECT_EQ(trace_of_command("git log --oneline", "a1b2 first"), "");
  EXPECT_EQ(trace_of_command("cat a.txt > b.txt", ""), "cat a.txt > b.txt: ok");
}

TEST(TraceTest, OfACommandThatIsFedATextTheLineThatSaysWhatIsDoneStands) {
  EXPECT_EQ(trace_of_command("cat > a.py <<'EOF'\\nx = 1\\nEOF", ""), "cat > a.py <<'EOF': ok");
  EXPECT_EQ(trace_of_command("cat <<'EOF' > " + std::string(90, 'a') + "/b.py\\nx = 1\\nEOF", ""),
            "cat \u2026 " + std::string(90, 'a') + "/b.py: ok")
      << "what is written has its file, however long the way to it";
  EXPECT_EQ(trace_of_command("# Try it again.\\ncd src && python3 - <<EOF\\nprint(1)\\nEOF", "1"),
            "python3 - <<EOF: 1");
  EXPECT_EQ(trace_of_command("make\\nmake check", "ok"), "make make check: ok");
}

TEST(TraceTest, ACommandInATextIsTracedWithItsOutput) {
  const std::vector<ConversationMessage> history{{Role::assistant, "I run them.\n```bash\npytest -q\n```"},
                                                 {Role::user, "2 failed"}};
  const auto step = traced_step(history, 1);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->did + ": " + step->ended, "pytest -q: 2 failed");
  EXPECT_FALSE(traced_step(history, 0)) << "it is not over";
  EXPECT_FALSE(traced_step({{Role::user, "Hello."}}, 0));
}

TEST(TraceTest, WhatTheAssistantAnsweredIsTraced) {
  const auto step = traced_step({{Role::assistant, "The price list of 2024\nhad 1.50 where 0.50 was meant."}}, 0);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->did + ": " + step->ended, "answered: \"The price list of 2024 had 1.50 where 0.50 was meant.\"");
}

TEST(TraceTest, CommandsThatWriteFilesAreKnown) {
  EXPECT_THAT(changed_by_command("cat a.txt | sort > out/b.txt 2> /dev/null"), ElementsAre("out/b.txt"));
  EXPECT_THAT(changed_by_command("sed -i 's/a/b/' src/x.py && git mv a.py b.py; rm -f old.log"),
              ElementsAre("src/x.py", "a.py", "b.py", "old.log"));
  EXPECT_THAT(changed_by_command("cat > new.py <<'EOF'\nrm other.py\nEOF\nls src"), ElementsAre("new.py"));
  EXPECT_THAT(changed_by_command("grep -n x src/a.py 2>&1 | head"), IsEmpty());
}

TEST(TraceTest, ArgumentsThatAreNoJsonLeaveNoTrace) { EXPECT_EQ(trace_of("write_file", "{broken", "ok"), ""); }

}  // namespace
}  // namespace ctxmgr::engine
