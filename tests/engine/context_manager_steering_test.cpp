#include <map>
#include <set>

#include "ctxmgr/core/history.hpp"
#include "ctxmgr/session/memory_tool.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

constexpr std::int64_t budget = 8'000;
constexpr int steps = 120;

std::string everything(const std::vector<ConversationMessage>& messages) { return to_openai_json(messages); }

/// Keeps what it is told, and says what it is to say.
class SpyHook final : public CompactionHook {
 public:
  std::vector<std::size_t> before_compaction(const CompactionEvent& event) override {
    before.push_back(event.report);
    messages = event.history.size();
    return keep;
  }
  std::string after_compaction(const CompactionEvent& event) override {
    after.push_back(event.report);
    if (throws) throw 42;
    return text;
  }

  std::vector<CompactionReport> before;
  std::vector<CompactionReport> after;
  std::vector<std::size_t> keep;
  std::string text;
  std::size_t messages = 0;
  bool throws = false;
};

/// An agent of 120 steps that keeps a list of what is to be done.
class SteeringTest : public testing::BuildTest {
 protected:
  SteeringTest() {
    request_.tool_rules = {{"get_policy", ToolRetention::never_cut},
                           {"ls", ToolRetention::cut_first},
                           {"bash", ToolRetention::normal, 150}};
    request_.planning.mode = PlannerMode::deterministic;
    memory_.user = "someone";
    memory_.store = make_memory_key_value_store();
    say(Role::system, "You are an agent.");
    say(Role::user, "Mend the fees, one module after the other.");
  }

  void work(const std::string& tool, const std::string& arguments, const std::string& result) {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    auto call = testing::tool_call(id, tool);
    call.tool_calls[0].arguments_json = arguments;
    add(std::move(call));
    add(testing::tool_result(id, result));
  }

  void remember(int step) {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    auto call = testing::tool_call(id, std::string(memory_tool_name));
    call.tool_calls[0].arguments_json = R"({"command":"create","path":"/memories/m)" + std::to_string(step) +
                                        R"(.md","file_text":"step )" + std::to_string(step) + "\"}";
    auto answer = answer_memory_tool(call.tool_calls[0], memory_);
    ASSERT_TRUE(answer);
    add(std::move(call));
    add(*std::move(answer));
  }

  /// What the agent does in a step. The newest list is in `list_`.
  void act(int step) {
    const auto number = std::to_string(step);
    if (step == 3) return work("get_policy", "{}", "POLICY: amounts are rounded down. " + words(60));
    if (step % 10 == 4) return remember(step);
    if (step % 10 == 0) {
      list_ = "number " + number + " of the list is next";  // No name, and no word of the task.
      // A line of what was done shows the first words of a call.
      const std::string done(R"({"content":"filler filler filler filler filler filler filler","status":"completed"},)");
      return work(todo_tool_,
                  R"({"todos":[)" + done + done + done + R"({"content":")" + list_ + R"(","status":"in_progress"}]})",
                  "ok");
    }
    if (step % 3 == 0) return work("ls", "{}", "LISTING_" + number + " " + words(120));
    if (step % 3 == 1) return work("bash", "{}", "ran_" + number + " " + words(300));
    work("read", "{\"path\":\"src/module_" + number + ".cpp\"}", "module_" + number + " " + words(200));
  }

  /// Torn: a result without its call right before it, or a call without its result.
  static bool is_torn(const std::vector<ConversationMessage>& messages) { return !check_history(messages); }

  struct Figures {
    int over = 0;
    int torn = 0;
    int without_list = 0;
    int without_policy = 0;
    int broken_prefix = 0;
    int compactions = 0;
    int cold_differs = 0;
    std::size_t longest_state = 0;
  };

  Figures replay() {
    Figures figures;
    const ContextManager warm(options_);
    request_.budget.max_input_tokens = budget;
    std::string before;
    for (int step = 0; step < steps; ++step) {
      act(step);
      const auto built = warm.build(context_, request_);
      EXPECT_TRUE(built) << built.error().message;
      if (!built) return figures;
      if (options_.compaction_hook == nullptr) {
        const auto cold = ContextManager(options_).build(context_, request_);
        figures.cold_differs += cold && everything(cold->messages) == everything(built->messages) ? 0 : 1;
      }
      request_.thread_state = built->thread_state;
      auto now = everything(built->messages);
      figures.over += built->metadata.input_tokens_used > budget ? 1 : 0;
      figures.torn += is_torn(built->messages) ? 1 : 0;
      figures.without_list += contains(now, list_) ? 0 : 1;
      figures.without_policy += step < 3 || contains(now, "POLICY") ? 0 : 1;
      figures.longest_state = std::max(figures.longest_state, built->thread_state.opaque.size());
      const bool is_compacted = built->metadata.compaction.has_value();
      figures.compactions += is_compacted ? 1 : 0;
      now.pop_back();  // The bracket.
      figures.broken_prefix += !is_compacted && now.compare(0, before.size(), before) != 0 ? 1 : 0;
      before = std::move(now);
    }
    return figures;
  }

  std::string todo_tool_ = "TodoWrite";
  std::string list_ = "none";
  MemoryOptions memory_;
};

TEST_F(SteeringTest, TheLatestListIsInEveryRequestOfAnAgentOf120Steps) {
  const auto figures = replay();
  EXPECT_EQ(figures.over, 0);
  EXPECT_EQ(figures.torn, 0);
  EXPECT_EQ(figures.without_list, 0);
  EXPECT_EQ(figures.without_policy, 0);
  EXPECT_EQ(figures.broken_prefix, 0);
  EXPECT_EQ(figures.cold_differs, 0);
  EXPECT_GT(figures.compactions, 3);
  EXPECT_LE(figures.longest_state, 4'096U);
}

TEST_F(SteeringTest, WithoutTheRulesTheListIsLost) {
  request_.tool_rules = {{"*", ToolRetention::normal}};
  const auto figures = replay();
  EXPECT_GT(figures.without_list, 0);
  EXPECT_GT(figures.without_policy, 0);
}

TEST_F(SteeringTest, AToolOfTheHostsKeepsItsLatestWhereARuleSaysSo) {
  todo_tool_ = "my_list";
  EXPECT_GT(replay().without_list, 0);
  context_.conversation_history.resize(2);
  request_.thread_state = {};
  request_.tool_rules.push_back({"my_*", ToolRetention::keeps_latest});
  EXPECT_EQ(replay().without_list, 0);
}

TEST_F(SteeringTest, WhatIsCutFirstIsGoneAfterACompactionWhereOlderWorkStays) {
  replay();
  request_.compact_now = true;
  const auto built = build(budget);
  ASSERT_TRUE(built);
  ASSERT_TRUE(built->metadata.compaction);
  const auto now = everything(built->messages);
  EXPECT_FALSE(contains(now, R"("content":"LISTING_)"));
  EXPECT_TRUE(contains(now, "module_119 ") || contains(now, "module_116 "));
}

TEST_F(SteeringTest, ALongResultIsAnExtractFromTheRequestOnInWhichItComes) {
  work("bash", "{}", words(2'000));
  const auto built = build(budget);
  ASSERT_TRUE(built);
  EXPECT_LT(built->metadata.breakdown.tool_tokens, 400);
  request_.tool_rules.clear();
  EXPECT_GT(build(budget)->metadata.breakdown.tool_tokens, 1'500);
}

TEST_F(SteeringTest, ACompactionIsAnEventBeforeAndAfterIt) {
  std::vector<std::string> heard;
  options_.observer = make_observer([&](const Event& event) {
    if (event.kind != EventKind::compaction) return;
    std::string line;
    for (const auto& field : event.fields)
      if (const auto* text = std::get_if<std::string_view>(&field.value)) line += std::string(*text) + "|";
    heard.push_back(line);
  });
  const auto figures = replay();
  std::erase_if(heard, [](const std::string& line) { return !contains(line, "the room is full"); });
  // Cold managers tell, too.
  ASSERT_EQ(heard.size(), static_cast<std::size_t>(figures.compactions) * 4);
  EXPECT_TRUE(contains(heard[0], "before|the room is full|")) << heard[0];
  EXPECT_TRUE(contains(heard[1], "after|the room is full|")) << heard[1];
}

TEST_F(SteeringTest, TheReceiptSaysWhatWentAndHowMuchIsLeft) {
  replay();
  request_.compact_now = true;
  const auto built = build(budget);
  ASSERT_TRUE(built && built->metadata.compaction);
  const auto& report = *built->metadata.compaction;
  EXPECT_EQ(report.reason, "the host asked for it");
  EXPECT_LT(report.tokens_after, report.tokens_before);
  ASSERT_FALSE(report.messages.empty());
  for (const auto& range : report.messages) EXPECT_LE(range.first, range.last);
  const auto read = from_json<ContextUtilizationMetadata>(to_json(built->metadata));
  ASSERT_TRUE(read && read->compaction);
  EXPECT_EQ(read->compaction->messages.size(), report.messages.size());
}

TEST_F(SteeringTest, WhatTheHostSaysAfterACompactionStandsThereUntilTheNext) {
  const auto hook = std::make_shared<SpyHook>();
  hook->text = "The memory has what matters: see notes.md.";
  options_.compaction_hook = hook;
  const auto figures = replay();
  EXPECT_EQ(figures.broken_prefix, 0);
  EXPECT_EQ(figures.over, 0);
  EXPECT_LE(figures.longest_state, 4'096U);
  ASSERT_EQ(hook->after.size(), static_cast<std::size_t>(figures.compactions));
  EXPECT_EQ(hook->before.size(), hook->after.size());
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(everything(built->messages), hook->text)) << "a cold manager knows it from the state";
  hook->text = "Something else.";
  request_.compact_now = true;
  const auto next = everything(build(budget)->messages);
  EXPECT_TRUE(contains(next, "Something else."));
  EXPECT_FALSE(contains(next, "see notes.md"));
}

TEST_F(SteeringTest, AHookThatThrowsAndACompactionThatCannotBeLeaveANote) {
  replay();
  request_.compact_now = true;
  const auto hook = std::make_shared<SpyHook>();
  hook->keep = {99'999};
  options_.compaction_hook = hook;
  const auto said = [&](const std::string& text) {
    const auto built = build(budget);
    EXPECT_TRUE(built);
    const auto& notes = built->metadata.notes;
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return contains(note, text); });
  };
  EXPECT_TRUE(said("that are not there: 99999"));
  EXPECT_FALSE(said("compact_now"));
  request_.thread_state = {};
  EXPECT_TRUE(said("compact_now: nothing was compacted, since the request has no thread state"));
}

TEST_F(SteeringTest, WhatTheHostKeepsBeforeACompactionStaysWholeUntilTheNext) {
  const auto hook = std::make_shared<SpyHook>();
  options_.compaction_hook = hook;
  hook->keep = {8};  // The result of a reading.
  act(0);
  for (int step = 1; step < 5; ++step) act(step);
  const auto kept = text_of(context_.conversation_history[7]);
  ASSERT_GT(kept.size(), 300U);
  const auto figures = replay();
  EXPECT_EQ(figures.torn, 0);
  EXPECT_EQ(figures.over, 0);
  EXPECT_EQ(figures.broken_prefix, 0);
  ASSERT_GT(hook->before.size(), 1U);
  const auto built = build(budget);
  ASSERT_TRUE(built);
  const auto is_kept = [&](const ConversationMessage& message) { return text_of(message) == kept; };
  EXPECT_TRUE(std::any_of(built->messages.begin(), built->messages.end(), is_kept));
}

TEST_F(SteeringTest, AHookThatThrowsOrTalksTooMuchBreaksNothing) {
  const auto hook = std::make_shared<SpyHook>();
  options_.compaction_hook = hook;
  hook->keep = {0, 1, 2, 7'000'000};
  hook->text = words(4'000, "gossip");
  auto figures = replay();
  EXPECT_EQ(figures.over + figures.torn + figures.broken_prefix, 0);
  EXPECT_LE(figures.longest_state, 4'096U);
  hook->throws = true;
  context_.conversation_history.resize(2);
  request_.thread_state = {};
  figures = replay();
  EXPECT_EQ(figures.over + figures.torn + figures.broken_prefix, 0);
  EXPECT_GT(figures.compactions, 3);
}

TEST_F(SteeringTest, PinsThatFillTheRoomFailUnlessTheHostLetsThemGo) {
  for (int i = 0; i < 30; ++i) {
    say(Role::user, "PIN_" + std::to_string(i) + " " + words(200));
    context_.conversation_history.back().retention = Retention::pinned;
  }
  say(Role::user, "And now?");
  const auto failed = build(budget);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::budget_exceeded);
  request_.history.oversized = Oversized::shrink_and_release;
  const auto built = build(budget);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LE(built->metadata.input_tokens_used, budget);
  EXPECT_TRUE(contains(everything(built->messages), "PIN_29 "));
  const auto says_so = [](const std::string& note) { return contains(note, "pinned messages gave way"); };
  EXPECT_TRUE(std::any_of(built->metadata.notes.begin(), built->metadata.notes.end(), says_so));
}

TEST_F(SteeringTest, PinsGiveWayAtACompactionAndNowhereElse) {
  request_.history.oversized = Oversized::shrink_and_release;
  request_.budget.max_input_tokens = budget;
  const ContextManager manager(options_);
  std::string before;
  for (int i = 0; i < 60; ++i) {
    work("read", "{}", "read_" + std::to_string(i) + " " + words(60));
    context_.conversation_history.back().retention = Retention::pinned;
    const auto built = manager.build(context_, request_);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_LE(built->metadata.input_tokens_used, budget);
    EXPECT_EQ(everything(ContextManager(options_).build(context_, request_)->messages), everything(built->messages));
    request_.thread_state = built->thread_state;
    auto now = everything(built->messages);
    now.pop_back();
    if (!built->metadata.compaction) {
      EXPECT_EQ(now.compare(0, before.size(), before), 0) << i;
    }
    before = std::move(now);
  }
}

TEST_F(SteeringTest, ThoughtsOfTurnsThatAreOverGoBeforeWordsDo) {
  const auto think = [this](int turn) {
    ConversationMessage message{Role::assistant};
    message.content = std::vector<ContentPart>{
        {PartKind::other, "",
         R"({"type":"thinking","thinking":"THOUGHT )" + std::string(900, 'h') + R"(","signature":"s"})"},
        {PartKind::text, "ANSWER_" + std::to_string(turn) + " " + words(40)}};
    add(std::move(message));
  };
  for (int turn = 0; turn < 12; ++turn) {
    think(turn);
    say(Role::user, "And the one after number " + std::to_string(turn) + "?");
    const auto built = build(3'000);
    ASSERT_TRUE(built) << built.error().message;
    request_.thread_state = built->thread_state;
  }
  request_.compact_now = true;
  const auto built = build(3'000);
  ASSERT_TRUE(built);
  const auto now = everything(built->messages);
  EXPECT_FALSE(contains(now.substr(0, now.find("ANSWER_11")), "THOUGHT"));
  EXPECT_TRUE(contains(now, "ANSWER_10"));
}

}  // namespace
}  // namespace ctxmgr
