#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "engine/build/layout.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

/// The messages of a request, each as it is written.
std::vector<std::string> written(const BuiltContext& built) {
  std::vector<std::string> messages;
  for (const auto& message : built.messages) messages.push_back(to_openai_json({message}));
  return messages;
}

bool begins_with(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  return now.size() >= before.size() && std::equal(before.begin(), before.end(), now.begin());
}

/// How requests of one thread follow on one another.
class LayoutGrowthTest : public testing::BuildTest {};

TEST_F(LayoutGrowthTest, WithoutSelectionDocumentsStandBesideTheNewestTurns) {
  request_.planning.mode = PlannerMode::none;
  for (int i = 0; i < 60; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(60, "m" + std::to_string(i) + "x"));
  say(Role::user, "What now?");
  for (const auto* name : {"one", "two", "three"}) attach(name, words(300, name));
  const auto built = build(3'000);
  ASSERT_TRUE(built);
  EXPECT_GE(built->metadata.input_tokens_used, 2'700);
  for (const auto& document : context_.artifacts)
    EXPECT_TRUE(testing::contains(testing::all_text(built->messages), document.content)) << document.artifact_id;
}

TEST_F(LayoutGrowthTest, InEveryModeARequestBeginsWithTheOneBefore) {
  for (const auto mode : {PlannerMode::automatic, PlannerMode::deterministic, PlannerMode::none}) {
    request_.planning.mode = mode;
    request_.thread_state = {};
    context_.conversation_history.clear();
    for (int i = 0; i < 60; ++i)
      say(i % 2 == 0 ? Role::user : Role::assistant, words(60, "m" + std::to_string(i) + "x"));
    say(Role::user, "What is m3x2?");
    std::vector<std::string> before;
    int rewrites = 0;
    for (int step = 0; step < 20; ++step) {
      const auto built = build(3'000);
      ASSERT_TRUE(built);
      request_.thread_state = built->thread_state;
      auto now = written(*built);
      // The first build fills the room. Where it was filled with history, a compaction makes some for what follows.
      if (step > 1 && !begins_with(now, before)) ++rewrites;
      before = std::move(now);
      const auto id = "call" + std::to_string(step);
      add(testing::tool_call(id));
      add(testing::tool_result(id, words(20, id)));
    }
    EXPECT_LE(rewrites, mode == PlannerMode::none ? 1 : 0) << static_cast<int>(mode);
  }
}

TEST_F(LayoutGrowthTest, AThreadWhoseStateWasLostHasItsTaskWithTheNextQuestion) {
  say(Role::user, "Port the scheduler to the new clock.");
  const auto read = [this](int i) {
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id));
    add(testing::tool_result(id, words(60, id + "x")));
  };
  for (int i = 0; i < 40; ++i) read(i);
  const auto next = [this] {
    const auto built = build(2'000);
    EXPECT_TRUE(built);
    request_.thread_state = built->thread_state;
    return testing::all_text(built->messages);
  };
  EXPECT_TRUE(testing::contains(next(), "Port the scheduler")) << "it is the question";
  for (int i = 40; i < 60; ++i) {
    say(Role::assistant, "I looked.");
    say(Role::user, "And what does file " + std::to_string(i) + " say?");
    EXPECT_TRUE(testing::contains(next(), "Port the scheduler")) << i;
    read(i);
    EXPECT_TRUE(testing::contains(next(), "Port the scheduler")) << i;
  }
}

TEST_F(LayoutGrowthTest, ARequestThatIsMadeAgainStaysWholeWhileItsStepsRun) {
  int calls = 0;
  const auto work = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto id = "call" + std::to_string(calls++);
      add(testing::tool_call(id));
      add(testing::tool_result(id, words(60, id + "x")));
      const auto built = build(2'000);
      ASSERT_TRUE(built);
      request_.thread_state = built->thread_state;
      const auto is_request = [](const ConversationMessage& message) { return text_of(message) == "Run every check."; };
      if (calls > 45) {
        EXPECT_TRUE(std::any_of(built->messages.begin(), built->messages.end(), is_request)) << calls;
      }
    }
  };
  for (const auto* request : {"Port the scheduler.", "Run every check.", "Port the clock, too.", "Run every check."}) {
    say(Role::user, request);
    work(15);
    say(Role::assistant, "Done.");
  }
}

TEST_F(LayoutGrowthTest, ALongTextThatIsPastedTwiceNeedsNoRoomForTwo) {
  say(Role::user, "Look at this. " + words(700));
  add(testing::tool_call("a"));
  add(testing::tool_result("a", "ok"));
  ASSERT_TRUE(build(2'000));
  say(Role::user, "Look at this. " + words(700));
  add(testing::tool_call("b"));
  add(testing::tool_result("b", "ok"));
  const auto built = build(2'000);
  ASSERT_TRUE(built) << built.error().message;
}

TEST_F(LayoutGrowthTest, WithoutAStateALoopHasWhatItBeganWithAtEveryStep) {
  say(Role::user, "Port the scheduler to the new clock.");
  for (int i = 0; i < 60; ++i) {
    if (i % 12 == 11) {
      say(Role::assistant, "I looked.");
      say(Role::user, "And what does file " + std::to_string(i) + " say?");
    }
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id));
    add(testing::tool_result(id, words(60, id + "x")));
    const auto built = build(2'000);
    ASSERT_TRUE(built);
    const auto text = testing::all_text(built->messages);
    const auto at = text.find("Port the scheduler");
    ASSERT_NE(at, std::string::npos) << i;
    EXPECT_EQ(text.find("Port the scheduler", at + 1), std::string::npos) << "and once, at step " << i;
  }
}

TEST_F(LayoutGrowthTest, ANudgeMovesNothingAlsoWhereTheHostAsksWithIt) {
  say(Role::system, "You work.");
  for (int i = 0; i < 40; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(60, "m" + std::to_string(i) + "x"));
  say(Role::user, "Where is filler3 of m7x5?");
  request_.history.evidence_share = 0.3;
  std::vector<std::string> before;
  for (int step = 0; step < 15; ++step) {
    const auto& last = context_.conversation_history.back();
    request_.query = last.role == Role::user ? text_of(last) : "";
    const auto built = build(4'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    auto now = written(*built);
    // With the third the first is known for a nudge: what was asked is the question again.
    if (step > 9) {
      EXPECT_TRUE(begins_with(now, before)) << step;
    }
    before = std::move(now);
    if (step % 3 == 2) {
      say(Role::assistant, "I shall see.");
      say(Role::user, "Please give exactly one action, found " + std::to_string(step));
    } else {
      const auto id = "call" + std::to_string(step);
      add(testing::tool_call(id));
      add(testing::tool_result(id, words(20, id)));
    }
  }
}

TEST_F(LayoutGrowthTest, TheFillAfterACompactionIsWhatWasAskedFor) {
  std::vector<std::int64_t> least;
  for (const double fill : {0.4, 0.5, 0.6, 0.7}) {
    request_.history.target_fill = fill;
    request_.thread_state = {};
    context_.conversation_history.clear();
    say(Role::user, "Mend it.");
    std::int64_t before = 0;
    least.push_back(4'000);
    for (int step = 0; step < 60; ++step) {
      const auto id = "call" + std::to_string(step);
      add(testing::tool_call(id));
      add(testing::tool_result(id, words(80, "r" + std::to_string(step) + "x")));
      const auto built = build(4'000);
      ASSERT_TRUE(built);
      request_.thread_state = built->thread_state;
      const auto used = built->metadata.input_tokens_used;
      if (used < before) least.back() = std::min(least.back(), used);
      before = used;
    }
  }
  for (std::size_t i = 0; i < least.size(); ++i) {
    const auto target = static_cast<double>(4'000 * (4 + i)) / 10;
    EXPECT_LE(static_cast<double>(least[i]), target + 40) << i;
    EXPECT_GE(static_cast<double>(least[i]), target * 0.5) << i;  // Notes and evidence count at their full share.
  }
}

/// Tokens of the lines that a request has of these messages.
std::int64_t tokens_kept(const BuiltContext& built, const std::vector<ConversationMessage>& messages) {
  const auto counter = make_approximate_token_counter();
  const auto all = testing::all_text(built.messages);
  std::int64_t kept = 0;
  for (const auto& message : messages) {
    const auto text = text_of(message);
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = std::min(text.find('\n', begin), text.size());
      const auto line = text.substr(begin, end - begin);
      if (testing::contains(all, line)) kept += counter->count(line);
    }
  }
  return kept;
}

TEST_F(LayoutGrowthTest, WhatIsKeptChangesGraduallyWithTheSizeOfTheCurrentResult) {
  for (int i = 0; i < 15; ++i) {
    const std::string letter(1, static_cast<char>('a' + i));
    say(Role::user, "Look at part " + words(20, "w" + letter));
    add(testing::tool_call("c" + letter));
    add(testing::tool_result("c" + letter, words(100, "r" + letter)));
  }
  const auto counter = make_approximate_token_counter();
  const auto earlier = context_.conversation_history;
  const auto room = count_messages(*counter, earlier);
  const auto before = build(room);
  ASSERT_TRUE(before);
  say(Role::user, "Now see the current one.");
  add(testing::tool_call("now"));
  add({});
  constexpr std::size_t step = 40;  // words
  const auto allowed = counter->count(words(step, "current")) + room / 15 + 50;
  for (const bool has_state : {false, true}) {
    // Without a state the cut moves by steps of 0.4 of the room and a group, so that it stays in between.
    const auto most = allowed + (has_state ? 0 : room / 2);
    std::optional<std::int64_t> last;
    for (std::size_t size = step; size <= 1'600; size += step) {
      context_.conversation_history.back() = testing::tool_result("now", words(size, "current"));
      request_.thread_state = has_state ? before->thread_state : ThreadState{};
      const auto built = build(room);
      ASSERT_TRUE(built);
      const auto kept = tokens_kept(*built, earlier);
      if (last) {
        EXPECT_LE(std::abs(kept - *last), most) << has_state << " " << size;
      }
      last = kept;
    }
  }
}

/// What a chat's requests do with a state.
class LayoutChatTest : public testing::BuildTest {
 protected:
  void talk(int turns, std::size_t length) {
    for (int i = 0; i < turns; ++i) {
      say(Role::user,
          "The bird of day " + std::to_string(i) + " was " + words(length, "bird" + std::to_string(i) + "x"));
      say(Role::assistant, "Noted " + std::to_string(i) + ".");
    }
  }
  BuiltContext next(std::int64_t budget) {
    auto built = build(budget);
    EXPECT_TRUE(built);
    request_.thread_state = built->thread_state;
    return std::move(*built);
  }
};

TEST_F(LayoutChatTest, InLessThanServicesCacheEachRequestIsMadeByItself) {
  talk(12, 40);
  say(Role::user, "What about bird3x4?");
  next(900);
  say(Role::assistant, "It sings.");
  say(Role::user, "And bird5x2?");
  request_.compact_now = true;
  const auto told = next(900).metadata.notes;
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const std::string& note) {
    return testing::contains(note, "requests of a chat in so small a room");
  }));
  request_.compact_now = false;
  const auto with_state = next(900);
  request_.thread_state = {};
  EXPECT_EQ(written(with_state), written(*build(900)));
  EXPECT_FALSE(with_state.metadata.compaction);
}

TEST_F(LayoutChatTest, AfterASingleRequestAChatThatFitsIsWholeAgain) {
  talk(12, 40);
  attach("manual", words(9'000, "manual"));
  say(Role::user, "What does the manual say of manual3?");
  const auto cut = next(3'000);
  ASSERT_LT(cut.metadata.messages_included, context_.conversation_history.size());
  context_.artifacts.clear();
  say(Role::assistant, "Nothing.");
  say(Role::user, "And of bird2x1?");
  const auto whole = next(3'000);
  EXPECT_EQ(whole.metadata.messages_included, context_.conversation_history.size());
  EXPECT_FALSE(whole.metadata.compaction);
}

TEST_F(LayoutChatTest, DocumentsDoNotCutAConversationOfHalfTheRoom) {
  talk(24, 40);
  attach("manual", words(20'000, "bird"));
  say(Role::user, "Which bird of which day was it, bird1 or bird2?");
  const auto roomy = build(8'000);
  ASSERT_TRUE(roomy);
  EXPECT_EQ(roomy->metadata.messages_included, context_.conversation_history.size());
  EXPECT_GT(roomy->metadata.breakdown.artifact_tokens, 2'000);
}

TEST_F(LayoutChatTest, DocumentsOfTheQuestionBeforeGiveWayBeforeTurnsDoForSmallTalk) {
  talk(4, 40);
  attach("manual", words(9'000, "manual"));
  say(Role::user, "What about bird1x4?");
  next(2'000);
  say(Role::assistant, "It sings.");
  say(Role::user, "What does the manual say of manual3 and manual4?");
  const auto asked = next(2'000);
  ASSERT_GT(asked.metadata.breakdown.artifact_tokens, 300);
  say(Role::assistant, words(150, "answer"));
  say(Role::user, "Thanks!");
  const auto thanked = next(2'000);
  EXPECT_FALSE(thanked.metadata.compaction);
  EXPECT_LE(thanked.metadata.input_tokens_used, 2'000);
}

}  // namespace
}  // namespace ctxmgr::engine
