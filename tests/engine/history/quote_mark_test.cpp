#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/history/thread_evidence.hpp"

namespace ctxmgr::engine {
namespace {

/// A thread of calls and their results, and what stands beside a message that is quoted.
class QuoteMarkTest : public ::testing::Test {
 protected:
  void say(Role role, const std::string& text) {
    ConversationMessage message;
    message.role = role;
    message.content = text;
    thread_.push_back(std::move(message));
  }

  /// The call is the message before the one that is returned.
  std::size_t call(const std::string& tool, const std::string& arguments, const std::string& result) {
    const auto id = "c" + std::to_string(thread_.size());
    ConversationMessage calling;
    calling.role = Role::assistant;
    calling.tool_calls.push_back({id, tool, arguments});
    thread_.push_back(std::move(calling));
    say(Role::tool, result);
    thread_.back().tool_call_id = id;
    return thread_.size() - 1;
  }

  std::string mark(std::size_t message) const { return mark(message, thread_.size()); }
  std::string mark(std::size_t message, std::size_t end) const {
    return written(marks_of(thread_, {message}, end).front(), thread_);
  }

  std::vector<ConversationMessage> thread_;
};

TEST_F(QuoteMarkTest, AFileThatWasChangedSinceSaysWhere) {
  const auto read = call("read_file", R"({"path": "src/fees.py"})", "def late_fee(): return 2");
  const auto other = call("read_file", R"({"path": "src/days.py"})", "def days(): return 3");
  const auto edit = call("edit_file", R"({"path": "src/fees.py", "old_str": "2", "new_str": "3"})", "ok");
  EXPECT_EQ(mark(read), " (changed in [" + std::to_string(edit) + "])");
  EXPECT_EQ(mark(other), "");
  EXPECT_EQ(mark(edit), "");
  EXPECT_EQ(mark(edit - 1), "") << "the call that wrote it is the newest itself";
}

TEST_F(QuoteMarkTest, WhatComesBehindTheEndMarksNothing) {
  const auto read = call("read_file", R"({"path": "src/fees.py"})", "def late_fee(): return 2");
  const auto end = thread_.size();
  call("edit_file", R"({"path": "src/fees.py", "old_str": "2", "new_str": "3"})", "ok");
  EXPECT_EQ(mark(read, end), "");
}

TEST_F(QuoteMarkTest, AnEditThatFailedChangesNothing) {
  const auto read = call("read_file", R"({"path": "a.py"})", "x = 1");
  call("edit_file", R"({"path": "a.py", "old_str": "y", "new_str": "z"})", "Error: old_str was not found");
  EXPECT_EQ(mark(read), "");
}

TEST_F(QuoteMarkTest, ACommandLineThatWritesTheFileChangesIt) {
  const auto read = call("bash", R"({"command": "cat /srv/app/fees.py"})", "x = 1");
  call("bash", R"({"command": "sed -i s/1/2/ fees.py"})", "");
  EXPECT_EQ(mark(read), " (changed in [3])") << "one of them is named from its folder";
  const auto folder = call("bash", R"({"command": "ls /srv/app"})", "fees.py");
  call("bash", R"({"command": "rm /srv/app/fees.py"})", "");
  EXPECT_EQ(mark(folder), "") << "a folder is none of its files";
  const auto run = call("bash", R"({"command": "python3 days.py"})", "no such day");
  call("bash", R"({"command": "sed -i s/1/2/ days.py"})", "");
  EXPECT_EQ(mark(run), "") << "it said so, whatever the program was made since";
}

TEST_F(QuoteMarkTest, TheSameCallAgainIsNamedAndAPartOfItIsNone) {
  const auto first = call("run_tests", R"({"target": "unit"})", "2 failed");
  const auto again = call("run_tests", R"({"target": "unit"})", "all passed");
  EXPECT_EQ(mark(first), " (again in [" + std::to_string(again + 1) + "])");
  EXPECT_EQ(mark(again), "");
  const auto whole = call("read_file", R"({"path": "a.py"})", "line 1\nline 2");
  call("read_file", R"({"path": "a.py", "from": 2, "to": 2})", "line 2");
  EXPECT_EQ(mark(whole), "");
}

TEST_F(QuoteMarkTest, AWrittenFileThatWasChangedLaterSaysSo) {
  const auto written = call("write_file", R"({"path": "notes.md", "content": "one"})", "ok") - 1;
  EXPECT_EQ(mark(written), "");
  call("write_file", R"({"path": "notes.md", "content": "two"})", "ok");
  EXPECT_EQ(mark(written), " (changed in [3])");
}

TEST_F(QuoteMarkTest, CommandsInTextsAreReadAsCallsAre) {
  say(Role::user, "Fix the fee.");
  say(Role::assistant, "```bash\ncat fees.py\n```");
  say(Role::user, "<output>x = 1</output>");
  say(Role::assistant, "```bash\necho 'x = 2' > fees.py\n```");
  say(Role::user, "<output></output>");
  EXPECT_EQ(mark(2), " (changed in [4])");
  say(Role::assistant, "```bash\ncat fees.py\n```");
  say(Role::user, "<output>x = 2</output>");
  EXPECT_EQ(mark(2), " (again in [7])");
}

TEST_F(QuoteMarkTest, EqualResultsAreOneWhereTheirCallsAre) {
  const auto first = call("edit_file", R"({"path": "a.py", "old_str": "x", "new_str": "y"})", "ok: 1 replacement");
  call("edit_file", R"({"path": "b.py", "old_str": "x", "new_str": "y"})", "ok: 1 replacement");
  EXPECT_EQ(mark(first), "");
  const auto poll = call("get_status", R"({"job": 7})", "still running");
  call("get_status", R"({"job": 8})", "still running");
  const auto again = call("get_status", R"({"job": 7})", "still running");
  EXPECT_EQ(mark(poll), ", 2 times (again in [" + std::to_string(again + 1) + "])");
}

TEST_F(QuoteMarkTest, EqualTextsOfARoleAreCounted) {
  say(Role::user, "Goodbye, and thank you for the call.");
  say(Role::assistant, "Goodbye, and thank you for the call.");
  say(Role::user, "Goodbye, and thank you for the call.");
  say(Role::user, "Goodbye, and thank you for the ride.");
  EXPECT_EQ(mark(0), ", 2 times");
  EXPECT_EQ(mark(1), "");
  EXPECT_EQ(mark(0, 2), "");
}

}  // namespace
}  // namespace ctxmgr::engine
