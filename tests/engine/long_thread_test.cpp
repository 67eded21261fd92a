#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::words;

/// Threads of hundreds of messages, built at every step as a host does it.
class LongThreadTest : public testing::BuildTest {
 protected:
  void step(const std::string& command, const std::string& result) {
    auto call = testing::tool_call("c" + std::to_string(context_.conversation_history.size()), "bash");
    call.tool_calls[0].arguments_json = "{\"command\":\"" + command + "\"}";
    add(call);
    add(testing::tool_result(call.tool_calls[0].id, result));
  }

  BuiltContext next(std::int64_t budget) {
    auto built = build(budget);
    EXPECT_TRUE(built) << (built ? "" : built.error().message);
    if (!built) return {};
    request_.thread_state = built->thread_state;
    return *built;
  }

  static std::string all_of(const BuiltContext& built) {
    std::string text;
    for (const auto& message : built.messages) text += text_of(message) + "\n";
    return text;
  }
};

TEST_F(LongThreadTest, TheFirstRunOfACommandIsFoundAtEveryBudget) {
  for (const std::int64_t budget : {6'000, 8'000, 12'000, 16'000, 32'000}) {
    context_ = {};
    request_.thread_state = {};
    say(Role::user, "Mend the fees.");
    step("make check", "cc fees.c\nfees.c:12: error: no such table: heron\nmake: stopped");
    for (int i = 0; i < 260; ++i) step("show file" + std::to_string(i), words(90));
    step("make check", "cc fees.c\nfees.c:80: error: near FROM: syntax error\nmake: stopped");
    for (int i = 0; i < 40; ++i) step("show page" + std::to_string(i), words(90));
    next(budget);
    say(Role::assistant, "That was all.");
    say(Role::user, "Which error did the first run of `make check` show?");
    EXPECT_THAT(all_of(next(budget)), HasSubstr("no such table: heron")) << budget;
  }
}

TEST_F(LongThreadTest, AfterManyStepsEveryFileThatWasChangedIsNamed) {
  say(Role::user, "Mend the fees.");
  for (int i = 0; i < 200; ++i) {
    const auto path = "/srv/library/branches/north/records/record_" + std::to_string(i) + ".py";
    if (i % 10 == 0)
      step("sed -i s/a/b/ " + path, "");
    else
      step("cat " + path, words(60));
    if (i % 5 == 0) next(8'000);
  }
  const auto text = to_openai_json(next(8'000).messages);  // The newest is named by its call.
  for (int i = 0; i < 200; i += 10) EXPECT_THAT(text, HasSubstr("record_" + std::to_string(i) + ".py"));
}

TEST_F(LongThreadTest, StandingInstructionsAmongManyRequestsAreAllQuoted) {
  const std::array<std::string, 15> standing{
      "Never touch the files under generated.",
      "Always answer in short sentences.",
      "From now on call me Captain Reed.",
      "You must not delete any branch.",
      "Remember that the release is on Friday.",
      "My budget is 400 pounds.",
      "Always run the linter before a commit.",
      "Never use tabs in Python files.",
      "From now on write dates as 2024-05-01.",
      "Do not ever push to the main branch.",
      "Please always name the file that you changed.",
      "You must not install packages.",
      "Remember that Ines is away until June.",
      "Ne modifie jamais les fichiers de configuration.",
      "\u5e38\u306b\u65e5\u672c\u8a9e\u3067\u7b54\u3048\u3066\u304f\u3060\u3055\u3044\u3002"};
  for (const bool is_loop : {false, true}) {
    for (const std::int64_t budget : {4'000, 8'000}) {
      context_ = {};
      request_.thread_state = {};
      for (std::size_t i = 0; i < 105; ++i) {
        if (i % 7 == 3)
          say(Role::user, standing[i / 7]);
        else
          say(Role::user, "Please look at module " + std::to_string(200 + i) + " and say what it does.");
        if (is_loop && i % 7 != 3) step("cat module" + std::to_string(i), words(70));
        say(Role::assistant, "It has " + words(40));
        if (i % 3 == 0) next(budget);
      }
      say(Role::user, "Please look at module 900 and say what it does.");
      const auto text = all_of(next(budget));
      for (const auto& sentence : standing) EXPECT_THAT(text, HasSubstr(sentence)) << is_loop << " at " << budget;
    }
  }
}

TEST_F(LongThreadTest, EveryBreakOfThePrefixIsNamedInTheReceipt) {
  say(Role::user, "Mend the fees.");
  std::vector<std::string> before;
  std::size_t breaks = 0;
  for (int i = 0; i < 200; ++i) {
    step("show file" + std::to_string(i), words(50));
    const bool is_edited = i == 90;
    if (is_edited) context_.conversation_history[context_.conversation_history.size() - 5].content = words(9, "other");
    if (i % 23 == 11) {
      say(Role::assistant, "Done with that.");
      say(Role::user, "What was in file" + std::to_string(i / 2) + " before?");
    }
    if (i % 31 == 17)
      context_.conversation_history[context_.conversation_history.size() - 2].retention = Retention::pinned;
    const auto built = next(6'000);
    std::vector<std::string> now;
    for (const auto& message : built.messages) now.push_back(to_openai_json({message}));
    if (std::mismatch(before.begin(), before.end(), now.begin(), now.end()).first != before.end()) {
      ++breaks;
      const auto& notes = built.metadata.notes;
      const bool is_named = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
        return contains(note, "compacted: ") || contains(note, "thread state");
      });
      EXPECT_TRUE(is_named) << "step " << i;
    }
    before = std::move(now);
  }
  EXPECT_GT(breaks, 3U);
}

}  // namespace
}  // namespace ctxmgr
