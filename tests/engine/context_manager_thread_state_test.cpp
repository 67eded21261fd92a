#include <algorithm>
#include <random>
#include <set>

#include "ctxmgr/engine/tool_search.hpp"
#include "support/build_fixture.hpp"
#include "support/sanitizers.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

/// Hosts keep thread states with clients: a build survives whatever comes back, and gives a right request.
class ContextManagerThreadStateTest : public testing::BuildTest {
 protected:
  static constexpr std::int64_t small_budget = 300;

  ContextManagerThreadStateTest() {
    say(Role::system, "Be brief.");
    attach("report", words(60, "report"));
    for (int i = 0; i < 3; ++i) turn(i);
  }

  void turn(int i) {
    const auto id = "call" + std::to_string(i);
    say(Role::user, "question " + std::to_string(i) + " " + words(6));
    add(testing::tool_call(id));
    add(testing::tool_result(id, words(i % 3 == 0 ? 90 : 30, "finding")));
    say(Role::assistant, "answer " + std::to_string(i) + " " + words(8, "answer"));
  }

  /// States of builds that cut and extracted, with a model's plan or without one.
  std::vector<std::string> real_states() {
    std::vector<std::string> states;
    use_client();
    client_->then_reply(saying_plan());
    for (int i = 3; i < 7; ++i) {
      turn(i);
      if (i == 5) context_.conversation_history.resize(context_.conversation_history.size() - 1);
      const auto built = build(small_budget);
      EXPECT_TRUE(built) << built.error().message;
      request_.thread_state = built->thread_state;
      states.push_back(built->thread_state.opaque);
      if (i == 5) say(Role::assistant, "answer 5");
    }
    options_.client = nullptr;
    return states;
  }

  static LlmResponse saying_plan() {
    return testing::saying(testing::planner_reply(testing::decision("A1", "rag_extract", "finding", 80)));
  }

  void expect_right(const Result<BuiltContext>& built, const std::string& state) const {
    ASSERT_TRUE(built) << state << ": " << built.error().message;
    EXPECT_LE(built->metadata.input_tokens_used, small_budget) << state;
    std::set<std::string> open;
    bool asked = false;
    for (const auto& message : built->messages) {
      asked = asked || text_of(message) == text_of(context_.conversation_history.back());
      for (const auto& call : message.tool_calls) open.insert(call.id);
      if (message.role == Role::tool) {
        EXPECT_EQ(open.erase(message.tool_call_id), 1U) << state;
      }
    }
    EXPECT_TRUE(open.empty()) << state;
    EXPECT_TRUE(asked) << state;
  }

  static bool is_ignored(const BuiltContext& built) {
    const auto& notes = built.metadata.notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return contains(note, "the thread state is not one that this version wrote") ||
             contains(note, "the messages that the thread state was written for have changed");
    });
  }

  std::mt19937 random_{7};

  std::size_t any(std::size_t end) { return random_() % end; }

  std::string any_number() {
    static const std::vector<std::string> numbers{"0",
                                                  "1",
                                                  "2",
                                                  "7",
                                                  "33",
                                                  "48",
                                                  "49",
                                                  "50",
                                                  "85",
                                                  "100",
                                                  "700",
                                                  "701",
                                                  "2147483648",
                                                  "1099511627777",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "-1",
                                                  "-9223372036854775808"};
    return any(4) == 0 ? std::to_string(any(40)) : numbers[any(numbers.size())];
  }

  /// One to three numbers become others; now and then a byte does, or the end is missing.
  std::string mutated(std::string state) {
    for (auto changes = 1 + any(3); changes > 0; --changes) {
      const auto kind = any(12);
      if (kind == 0) state[any(state.size())] = static_cast<char>(any(256));
      if (kind == 1) state.resize(1 + any(state.size()));
      const auto begin = state.find_first_of("0123456789", any(state.size()));
      if (kind < 2 || begin == std::string::npos) continue;
      const auto end = std::min(state.find_first_not_of("0123456789", begin), state.size());
      state.replace(begin, end - begin, any_number());
    }
    return state;
  }
};

TEST_F(ContextManagerThreadStateTest, TenThousandMutationsOfRealStatesBuildRightRequests) {
  const auto states = real_states();
  say(Role::user, "the last question");
  request_.budget.max_input_tokens = small_budget;
  const ContextManager manager(options_);
  int followed = 0;
  for (int i = 0; i < (CTXMGR_INSTRUMENTED ? 1'000 : 10'000) && !HasFailure(); ++i) {
    request_.thread_state.opaque = mutated(states[any(states.size())]);
    const auto built = manager.build(context_, request_);
    expect_right(built, request_.thread_state.opaque);
    followed += !is_ignored(*built);
  }
  EXPECT_GT(followed, 100) << "Some changes leave a state that may well be right.";
}

TEST_F(ContextManagerThreadStateTest, ACutBeyondTheHistoryIsIgnoredWithANote) {
  const auto states = real_states();
  const auto fresh = [this] {
    auto request = request_;
    request.thread_state = {};
    return ContextManager(options_).build(context_, request);
  }();
  auto& state = request_.thread_state.opaque;
  std::size_t at = 0;
  for (int field = 0; field < 5; ++field) at = state.find(' ', at + 1);  // version, messages, print, budget, cut
  state.replace(at + 1, state.find(' ', at + 1) - at - 1, "1000000");
  const auto built = build(small_budget);
  ASSERT_TRUE(built && fresh);
  EXPECT_EQ(to_openai_json(built->messages), to_openai_json(fresh->messages));
  EXPECT_TRUE(is_ignored(*built));
}

TEST_F(ContextManagerThreadStateTest, WhatIsNoStateIsIgnoredWithANote) {
  say(Role::user, "hello");
  request_.thread_state.opaque = "{}";
  const auto built = build(5'000);
  ASSERT_TRUE(built);
  EXPECT_TRUE(is_ignored(*built));
}

class CompactNowTest : public testing::BuildTest {
 protected:
  BuiltContext step() {
    request_.budget.max_input_tokens = 8'000;
    auto built = manager_.build(context_, request_);
    EXPECT_TRUE(built);
    request_.thread_state = built->thread_state;
    return std::move(*built);
  }
  void read(int i) {
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id, "read"));
    add(testing::tool_result(id, testing::words(600, id + "_")));
  }
  void fill_half() {
    say(Role::user, "Read them.");
    for (int i = 0; i < 5; ++i) {
      read(i);
      before_ = step();
    }
  }

  ContextManager manager_{options_};
  BuiltContext before_;
};

TEST_F(CompactNowTest, TheHostCanHaveAThreadCompactedThatIsNotFull) {
  fill_half();
  EXPECT_EQ(step().metadata.input_tokens_used, before_.metadata.input_tokens_used);
  request_.compact_now = true;
  const auto compacted = step();
  EXPECT_LT(compacted.metadata.input_tokens_used, before_.metadata.input_tokens_used * 3 / 4);
  EXPECT_TRUE(testing::contains(testing::all_text(compacted.messages), "not shown"));
  request_.compact_now = false;
  read(6);
  const auto after = step();
  EXPECT_GT(after.metadata.prefix_tokens_kept, compacted.metadata.input_tokens_used / 2) << "and goes on from there";
}

TEST_F(CompactNowTest, AModelCanToo) {
  fill_half();
  add(testing::tool_call("compact", std::string(compact_context_name)));
  add(answer_compact_context(context_.conversation_history.back().tool_calls[0]));
  const auto compacted = step();
  EXPECT_LT(compacted.metadata.input_tokens_used, before_.metadata.input_tokens_used * 3 / 4);
  read(6);
  const auto after = step();
  EXPECT_GT(after.metadata.prefix_tokens_kept, compacted.metadata.input_tokens_used / 2) << "once for each call";
}

TEST_F(CompactNowTest, WithoutAStateThereIsNothingToCompact) {
  say(Role::user, "Hello.");
  request_.compact_now = true;
  EXPECT_EQ(testing::all_text(step().messages), "Hello.\n");
}

}  // namespace
}  // namespace ctxmgr
