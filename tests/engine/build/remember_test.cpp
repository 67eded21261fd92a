#include "engine/build/remember.hpp"

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/engine/tool_search.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

constexpr std::int64_t room = 8'000;
constexpr const char* free_words = "tokens are free";
constexpr const char* reminder_words = "Write down now";

class BuildRememberTest : public testing::BuildTest {
 protected:
  std::vector<std::int64_t> thresholds_;

  void observe_thresholds() {
    options_.observer = make_observer([this](const Event& event) {
      if (event.kind == EventKind::budget_threshold)
        thresholds_.push_back(std::get<std::int64_t>(event.fields[0].value));
    });
  }
};

TEST_F(BuildRememberTest, AGrowingThreadIsReportedOnceAtEachThreshold) {
  observe_thresholds();
  say(Role::user, "start");
  for (int turn = 0; turn < 60; ++turn) {
    const auto built = build(1'000);
    ASSERT_TRUE(built);
    if (built->metadata.messages_excluded > 0) break;
    request_.thread_state = built->thread_state;
    say(Role::assistant, words(10));
  }
  EXPECT_EQ(thresholds_, (std::vector<std::int64_t>{50, 75, 90}));
}

TEST(RoomThresholdTest, IsThatOfTheBudgetUnlessTwoMoreStepsWouldNotFit) {
  EXPECT_EQ(room_threshold(490, 0, 1'000), 0);
  EXPECT_EQ(room_threshold(500, 0, 1'000), 50);
  EXPECT_EQ(room_threshold(899, 50, 1'000), 75);
  EXPECT_EQ(room_threshold(900, 0, 1'000), 90);
  EXPECT_EQ(room_threshold(760, 121, 1'000), 90);
  EXPECT_EQ(room_threshold(760, 119, 1'000), 75);
  EXPECT_EQ(room_threshold(400, 400, 1'000), 0) << "a large step into an empty room is no reason for alarm";
}

/// An agent that reads files of several sizes, one after the other, and does as it is told.
class RoomLineTest : public testing::BuildTest {
 protected:
  RoomLineTest() {
    say(Role::system, "You are an agent.");
    say(Role::user, "Read the modules one after the other and sum up the fees.");
    request_.tells_room = true;
  }

  /// A call and its result.
  void act(const std::string& tool, const std::string& arguments, const std::string& result) {
    const auto id = "call" + std::to_string(context_.conversation_history.size());
    auto call = testing::tool_call(id, tool);
    call.tool_calls[0].arguments_json = arguments;
    add(std::move(call));
    add(testing::tool_result(id, result));
  }

  void read_file(int i) {
    act("read", R"({"path":"src/m)" + std::to_string(i) + R"(.cpp"})",
        "m" + std::to_string(i) + " " + words(60 + 55 * (i % 5)));
  }

  BuiltContext send() {
    auto built = build(room);
    EXPECT_TRUE(built) << (built ? "" : built.error().message);
    request_.thread_state = built->thread_state;
    EXPECT_LE(built->metadata.input_tokens_used, room);
    return *std::move(built);
  }

  static bool is_told(const BuiltContext& built) { return contains(text_of(built.messages.back()), free_words); }
  static bool is_reminded(const BuiltContext& built) {
    return contains(text_of(built.messages.back()), reminder_words);
  }
};

TEST_F(RoomLineTest, EachThresholdIsToldOnceBetweenTwoCompactionsAndTheLastOfThemBeforeEach) {
  int told = 0;
  int reminded = 0;
  int compactions = 0;
  for (int i = 0; i < 120; ++i) {
    read_file(i);
    const auto built = send();
    if (built.metadata.compaction) {
      EXPECT_EQ(reminded, 1) << "before compaction " << compactions;
      EXPECT_LE(told, 3);
      told = reminded = 0;
      ++compactions;
    }
    told += is_told(built) ? 1 : 0;
    reminded += is_reminded(built) ? 1 : 0;
  }
  EXPECT_GE(compactions, 5);
}

TEST_F(RoomLineTest, WhatAnAgentWritesDownWhenItIsRemindedIsThereAfterFiveCompactions) {
  std::string written;
  int compactions = 0;
  for (int i = 0; i < 120; ++i) {
    read_file(i);
    auto built = send();
    compactions += built.metadata.compaction ? 1 : 0;
    if (!written.empty()) {
      EXPECT_TRUE(contains(to_openai_json(built.messages), written)) << "step " << i;
    }
    if (!is_reminded(built)) continue;
    written = "fee_total_" + std::to_string(i) + " is 4711";
    act("update_plan", R"({"plan":[{"step":")" + written + R"(","status":"in_progress"}]})", "ok");
  }
  EXPECT_GE(compactions, 5);
}

TEST_F(RoomLineTest, TheLineIsTheLastOfARequestAndNoOtherHasItOrLosesItsBeginning) {
  std::vector<std::string> before;
  for (int i = 0; i < 60; ++i) {
    read_file(i);
    const auto built = send();
    const auto now = testing::bytes_of(built.messages);
    for (std::size_t m = 0; m + 1 < now.size(); ++m) EXPECT_FALSE(contains(now[m], free_words));
    if (is_told(built)) {
      EXPECT_LT(built.metadata.cache_breakpoints.back(), now.size() - 1);
      EXPECT_EQ(built.messages.back().role, Role::user);
    }
    if (!built.metadata.compaction && !before.empty()) {
      ASSERT_LE(before.size(), now.size());
      EXPECT_TRUE(std::equal(before.begin(), before.end(), now.begin())) << i;
    }
    before = now;
    if (is_told(built)) before.pop_back();
  }
}

TEST_F(RoomLineTest, ItSaysWhatIsFreeToTheToken) {
  for (int i = 0; i < 60; ++i) {
    read_file(i);
    const auto built = send();
    if (!is_told(built)) continue;
    const auto left = room - built.metadata.input_tokens_used;
    auto digits = std::to_string(left);
    if (left >= 1'000) digits.insert(digits.size() - 3, " ");
    EXPECT_TRUE(contains(text_of(built.messages.back()), " " + digits + " of 8 000 tokens are free.")) << i;
    const auto answer = answer_context_remaining({"c", std::string(context_remaining_name), "{}"}, built.metadata);
    EXPECT_EQ(text_of(answer), digits + " of 8 000 tokens are free.");
    EXPECT_EQ(answer.tool_call_id, "c");
  }
}

TEST_F(RoomLineTest, WithoutTheWishNothingIsTold) {
  request_.tells_room = false;
  for (int i = 0; i < 60; ++i) {
    read_file(i);
    EXPECT_FALSE(is_told(send()));
  }
}

TEST_F(RoomLineTest, AUserWhoAsksIsNotToldAndTheNextResultIs) {
  int i = 0;
  std::int64_t used = 0;
  while (used < room * 45 / 100) {
    read_file(i++);
    used = send().metadata.input_tokens_used;
  }
  say(Role::assistant, "Shall I go on?");
  say(Role::user, "Yes. " + words(150));
  const auto asked = send();
  ASSERT_GE(asked.metadata.input_tokens_used, room / 2);
  EXPECT_FALSE(is_told(asked));
  read_file(i);
  EXPECT_TRUE(is_told(send()));
}

TEST_F(RoomLineTest, InAnthropicsFormItIsABlockBehindTheResult) {
  std::string body =
      R"({"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"Read the modules."}]})";
  ThreadState state;
  int told = 0;
  std::string before;
  for (int i = 0; i < 12; ++i) {
    const auto id = "toolu_" + std::to_string(i);
    body.resize(body.size() - 2);
    body += R"(,{"role":"assistant","content":[{"type":"tool_use","id":")" + id + R"(","name":"read","input":{}}]})" +
            R"(,{"role":"user","content":[{"type":"tool_result","tool_use_id":")" + id + R"(","content":")" + "file" +
            std::to_string(i) + std::string(1'200, 'x') + R"("}]}]})";
    request_.budget.max_input_tokens = 4'000;
    request_.thread_state = state;
    const auto built = build_anthropic(ContextManager(options_), body, request_);
    ASSERT_TRUE(built) << built.error().message;
    state = built->thread_state;
    const auto at = built->body.find(free_words);
    if (at == std::string::npos) continue;
    ++told;
    const auto block = built->body.rfind(R"({"type":"text")", at);
    ASSERT_NE(block, std::string::npos);
    EXPECT_EQ(built->body.substr(block - 2, 2), "},") << "the result stands before it, as it came";
    EXPECT_EQ(built->body.find(R"("role")", at), std::string::npos) << "and no message behind it";
  }
  EXPECT_GE(told, 1);
}

}  // namespace
}  // namespace ctxmgr::engine
