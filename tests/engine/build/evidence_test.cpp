#include "engine/build/evidence.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

TEST(EvidenceTest, PositionsCountThroughTheRanges) {
  const std::vector<MessageRange> ranges{{2, 4}, {7, 8}, {10, 13}};
  EXPECT_EQ(count_of(ranges), 6U);
  EXPECT_EQ(message_at(ranges, 0), 2U);
  EXPECT_EQ(message_at(ranges, 1), 3U);
  EXPECT_EQ(message_at(ranges, 2), 7U);
  EXPECT_EQ(message_at(ranges, 5), 12U);
}

/// A word of its own: lines that are alike but for their digits are taken for output of a tool.
std::string letters(int i) { return std::string(1, static_cast<char>('a' + i / 26)) + static_cast<char>('a' + i % 26); }

/// Counts texts, and how often it was asked to.
class CallsCounter final : public TokenCounter {
 public:
  std::int64_t count(std::string_view text) const override {
    ++calls;
    return inner_->count(text);
  }
  TokenCounterInfo info() const override { return inner_->info(); }

  mutable std::int64_t calls = 0;

 private:
  std::shared_ptr<TokenCounter> inner_ = make_approximate_token_counter();
};

class EvidenceOfStepsTest : public testing::BuildTest {
 protected:
  BuiltContext step(ContextManager& manager) {
    request_.budget.max_input_tokens = 2'000;
    auto built = manager.build(context_, request_);
    EXPECT_TRUE(built);
    request_.thread_state = built->thread_state;
    return std::move(*built);
  }

  void work(int i) {
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id));
    add(testing::tool_result(id, "nothing"));
  }
};

TEST_F(EvidenceOfStepsTest, AColdManagerGivesTheSameBytesAsOneThatRemembers) {
  for (int i = 0; i < 80; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(20, "word" + std::to_string(i)));
  say(Role::user, "Where is filler3?");
  ContextManager warm(options_);
  for (int i = 0; i < 6; ++i) {
    const auto state = request_.thread_state;
    const auto kept = step(warm);
    request_.thread_state = state;
    ContextManager cold(options_);
    EXPECT_EQ(to_openai_json(step(cold).messages), to_openai_json(kept.messages)) << i;
    work(i);
  }
}

TEST_F(EvidenceOfStepsTest, AThreadThatIsTooLargeForTheCacheGivesTheSameBytes) {
  for (int i = 0; i < 80; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(20, "word" + std::to_string(i)));
  say(Role::user, "Where is filler3?");
  auto small = options_;
  small.analysis_cache_bytes = 40'000;
  ContextManager with_room(options_);
  ContextManager without(small);
  for (int i = 0; i < 4; ++i) {
    const auto state = request_.thread_state;
    const auto kept = step(with_room);
    request_.thread_state = state;
    EXPECT_EQ(to_openai_json(step(without).messages), to_openai_json(kept.messages)) << i;
    say(Role::assistant, "Here.");
    say(Role::user, "And where is word" + std::to_string(7 * i) + "3?");
  }
}

TEST_F(EvidenceOfStepsTest, AnotherQuestionFindsOtherThings) {
  for (int i = 0; i < 80; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "topic" + std::to_string(i) + " " + words(40));
  ContextManager manager(options_);
  for (const int i : {3, 9, 3}) {
    say(Role::user, "What about topic" + std::to_string(i) + "?");
    EXPECT_TRUE(testing::contains(testing::all_text(step(manager).messages), "topic" + std::to_string(i) + " filler"));
    say(Role::assistant, "This.");
  }
}

TEST_F(EvidenceOfStepsTest, WhatAHarnessSaysAgainIsNoEvidence) {
  say(Role::user, "Where is the quince?");
  for (int i = 0; i < 12; ++i) {
    work(i);
    say(Role::assistant, "The quince may be in box " + letters(i) + ". " + words(60, letters(i)));
    say(Role::user, "Where the quince is has to be said in one word.");
  }
  say(Role::assistant, "I look further. " + words(200));
  say(Role::user, "Which box was it, that of the quince?");
  ContextManager manager(options_);
  request_.budget.max_input_tokens = 1'200;
  const auto built = manager.build(context_, request_);
  ASSERT_TRUE(built);
  for (const auto& message : built->messages) {
    const auto text = text_of(message);
    const auto data = text.find("<data-");
    if (data == std::string::npos) continue;
    EXPECT_TRUE(testing::contains(text, "The quince may be in box"));
    EXPECT_FALSE(testing::contains(text.substr(data), "in one word"));
  }
}

TEST_F(EvidenceOfStepsTest, AGroupIsSearchedOnceAllItsResultsAreThere) {
  for (int i = 0; i < 80; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "topic" + std::to_string(i) + " " + words(20));
  say(Role::user, "Where is the quince?");
  ConversationMessage calls{Role::assistant};
  calls.tool_calls = {{"one", "search", "{}"}, {"two", "search", "{}"}};
  add(calls);
  add(testing::tool_result("one", "The quince is in box 4711. " + words(10)));
  ContextManager manager(options_);
  const auto is_quoted = [](const BuiltContext& built) {
    for (const auto& message : built.messages) {
      if (testing::contains(text_of(message), "<data-")) return testing::contains(text_of(message), "4711");
    }
    return false;
  };
  const auto open = step(manager);
  EXPECT_FALSE(is_quoted(open));
  EXPECT_TRUE(testing::contains(testing::all_text(open.messages), "4711")) << "it is sent as it is";
  add(testing::tool_result("two", "nothing"));
  for (int i = 0; i < 60; ++i) {
    say(i % 2 == 0 ? Role::assistant : Role::user, "topic" + std::to_string(i) + " " + words(30));
    (void)step(manager);
  }
  say(Role::user, "In which box is the quince?");
  EXPECT_TRUE(testing::contains(testing::all_text(step(manager).messages), "4711"));
}

TEST_F(EvidenceOfStepsTest, AStepOfTheSameQuestionSelectsNothingAnew) {
  const auto counter = std::make_shared<CallsCounter>();
  options_.token_counters = {counter};
  for (int i = 0; i < 300; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(20, letters(i)));
  say(Role::user, "Where is filler3?");
  ContextManager manager(options_);
  step(manager);
  say(Role::assistant, "I look.");
  step(manager);
  say(Role::assistant, "I look for it.");
  const auto state = request_.thread_state;
  counter->calls = 0;
  step(manager);
  const auto of_a_step = counter->calls;
  request_.thread_state = state;
  request_.query = "And filler3 there?";
  counter->calls = 0;
  ContextManager other(options_);  // It has read nothing yet.
  step(other);
  EXPECT_LT(of_a_step * 4, counter->calls) << of_a_step;
}

TEST_F(EvidenceOfStepsTest, ADryRunGivesTheArchiveNothing) {
  const auto archive = std::make_shared<testing::SpyArchive>();
  request_.archive = archive;
  request_.budget.max_input_tokens = 2'000;
  say(Role::user, "Read it all.");
  for (int i = 0; i < 12; ++i) {
    const auto id = "call" + std::to_string(i);
    add(testing::tool_call(id));
    add(testing::tool_result(id, words(300)));
  }
  ContextManager manager(options_);
  ASSERT_TRUE(manager.plan(context_, request_));
  EXPECT_EQ(archive->calls, 0);
  ASSERT_TRUE(manager.build(context_, request_));
  EXPECT_GT(archive->calls, 0);
}

SelectedText piece(std::size_t message, const std::string& text) {
  SelectedText piece;
  piece.index = message;
  piece.text = text;
  return piece;
}

std::vector<ConversationMessage> conversation() {
  std::vector<ConversationMessage> messages{{Role::user, "Read a.py."}, testing::tool_call("c1", "read")};
  messages.back().tool_calls[0].arguments_json = R"({"path":"a.py"})";
  messages.push_back(testing::tool_result("c1", "retry = 7"));
  messages.back().name = "read";
  messages.push_back({Role::assistant, "It retries."});
  messages.push_back({Role::user, "How often?"});
  return messages;
}

TEST(EvidencePiecesTest, APieceCarriesItsMessagesNumberWhereItDoesNotFollowTheOneBefore) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: Read a.py."), piece(3, "assistant: It retries."),
                                     piece(4, "user: How often?")}),
            "[1] user: Read a.py.\n[4] assistant: It retries.\nuser: How often?\n");
}

TEST(EvidencePiecesTest, ASequenceNumberIsTheNumber) {
  auto messages = conversation();
  messages[3].sequence_number = 40;
  EXPECT_EQ(piece_header(messages, 3), "[40]");
}

TEST(EvidencePiecesTest, TheDayIsShownWhereAMessageHasOneAndWhereItChanges) {
  auto messages = conversation();
  const auto first = std::chrono::sys_days(std::chrono::year(2024) / 5 / 1);
  messages[3].created_at = first + std::chrono::hours(23);
  messages[4].created_at = first + std::chrono::hours(25);
  const std::vector<SelectedText> pieces{piece(3, "assistant: It retries."), piece(4, "user: How often?")};
  EXPECT_EQ(render_pieces(messages, pieces),
            "[4, 2024-05-01] assistant: It retries.\n[5, 2024-05-02] user: How often?\n");
}

TEST(EvidencePiecesTest, AResultStandsBesideItsCallAndIsNamedOnce) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: Read a.py."), piece(2, "read: retry = 7")}),
            "[1] user: Read a.py.\n[3] read(a.py): retry = 7\n");
}

TEST(EvidencePiecesTest, LongArgumentsOfACallAreCut) {
  auto messages = conversation();
  messages[1].tool_calls[0].arguments_json = "{\"text\":\"" + std::string(4'000, 'x') + "\"}";
  EXPECT_LT(piece_header(messages, 2).size(), 200U);
}

TEST(EvidencePiecesTest, EachPieceSaysWhatIsLeftOutOfIt) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: … b …"), piece(3, "assistant: … d …")}),
            "[1] user: … b …\n[4] assistant: … d …\n");
}

TEST(EvidencePiecesTest, CallsAloneAreNoPieceWithoutTheirResults) {
  auto messages = conversation();
  EXPECT_TRUE(is_bare_call(messages[1]));
  messages[1].content = "I read it.";
  EXPECT_FALSE(is_bare_call(messages[1]));
  EXPECT_FALSE(is_bare_call(messages[0]));
}

}  // namespace
}  // namespace ctxmgr::engine
