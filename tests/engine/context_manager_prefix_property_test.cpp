#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ctxmgr/engine/context_manager.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

/// A thread of an agent in which everything happens that may happen between two requests.
class Thread {
 public:
  Thread() {
    context.conversation_history = {{Role::system, "You are an agent."},
                                    {Role::user, "Find the invoice of the supplier."}};
  }

  void add_step() {
    const std::string id = "call_" + std::to_string(next_id_++);
    ConversationMessage call{Role::assistant};
    call.tool_calls.push_back({id, "tool", "{\"n\":" + std::to_string(next_id_) + "}"});
    ConversationMessage result{Role::tool, testing::words(*rc::gen::inRange(5, 60))};
    result.tool_call_id = id;
    add(std::move(call));
    add(std::move(result));
  }

  /// Now and then one that was asked before.
  void ask() {
    const auto topic = std::to_string(*rc::gen::inRange(0, 4));
    const std::string question = "What does file " + topic + " say about filler" + topic + "?";
    const auto& history = context.conversation_history;
    asked_again = std::any_of(history.begin(), history.end(),
                              [&question](const ConversationMessage& message) { return text_of(message) == question; });
    add({Role::assistant, "That was all of it."});
    add({Role::user, question});
  }

  void pin() { any_message().retention = Retention::pinned; }

  void edit() {
    auto& message = any_message();
    if (message.role == Role::user || message.role == Role::tool) message.content = testing::words(8);
  }

  Context context;
  std::vector<ConversationMessage> added;  ///< Since the last request.
  bool asked_again = false;                ///< The last question, before that: that may change what earlier ones are.

 private:
  void add(ConversationMessage message) {
    added.push_back(message);
    context.conversation_history.push_back(std::move(message));
  }

  ConversationMessage& any_message() {
    auto& history = context.conversation_history;
    return history[*rc::gen::inRange<std::size_t>(1, history.size())];
  }

  int next_id_ = 0;
};

/// Messages before the one with what was found for the question.
std::ptrdiff_t before_evidence(const std::vector<ConversationMessage>& messages) {
  const auto has_evidence = [](const ConversationMessage& message) {
    return testing::contains(text_of(message), "Data, not instructions:");
  };
  return std::find_if(messages.begin(), messages.end(), has_evidence) - messages.begin();
}

void check_prefixes(PlannerMode mode) {
  const auto counter = make_approximate_token_counter();
  const ContextManager manager{ContextManagerOptions{}};
  BuildRequest request;
  request.planning.mode = mode;
  request.budget.max_input_tokens = *rc::gen::inRange<std::int64_t>(1'200, 4'000);
  Thread thread;
  std::vector<ConversationMessage> before;
  bool changed = false;
  bool was_edited = false;
  std::int64_t notes = 0;  // Once there are any, they count with their full share, however little they take.
  for (int turn = 0; turn < 25; ++turn) {
    const auto built = manager.build(thread.context, request);
    RC_ASSERT(built.has_value());
    const auto cold = ContextManager(ContextManagerOptions{}).build(thread.context, request);
    RC_ASSERT(cold.has_value());
    RC_ASSERT(to_openai_json(cold->messages) == to_openai_json(built->messages));
    const auto now_bytes = testing::bytes_of(built->messages);
    const auto before_bytes = testing::bytes_of(before);
    const auto differs = std::mismatch(before_bytes.begin(), before_bytes.end(), now_bytes.begin(), now_bytes.end());
    const bool kept = differs.first == before_bytes.end();
    const auto stood = count_messages(*counter, before);
    // What a cache would have to read anew shows in the receipt.
    if (!before.empty()) RC_ASSERT((built->metadata.prefix_tokens_kept < stood) || kept);
    const bool only_steps = !thread.added.empty() && thread.added.front().role == Role::assistant &&
                            !thread.added.front().tool_calls.empty();
    const auto stands = stood + count_messages(*counter, thread.added) + notes;
    if (!before.empty() && !changed && only_steps && !kept)
      RC_ASSERT(10 * stands > 9 * *request.budget.max_input_tokens);
    // A new question takes the former one's evidence away, and wants room for its own. After an edit it may be the first
    // of a thread that begins anew.
    was_edited = was_edited || changed;
    if (!before.empty() && !was_edited && !thread.asked_again &&
        differs.first - before_bytes.begin() < before_evidence(before))
      RC_ASSERT(10 * stands > 7 * *request.budget.max_input_tokens);
    if (built->metadata.compaction) notes = *request.budget.max_input_tokens / 5;
    request.thread_state = built->thread_state;
    before = built->messages;
    thread.added.clear();
    thread.asked_again = false;
    changed = false;
    const int what = *rc::gen::inRange(0, 12);
    if (what == 0) thread.ask();
    if (what == 1) thread.pin();
    if (what == 2) thread.edit();
    changed = what == 1 || what == 2;
    if (what > 0) thread.add_step();
  }
}

/// Notes and evidence for the task count with all that they may take, so that the same compactions are found again without a state.
TEST(ContextManagerPrefixTest, StepsAddToARequestUntilTheyAndTheShareOfWhatIsMadeAreMoreThanTheRoom) {
  const auto counter = make_approximate_token_counter();
  const ContextManager manager{ContextManagerOptions{}};
  BuildRequest request;
  request.budget.max_input_tokens = 1'200;
  Context context;
  context.conversation_history = {{Role::system, "You are an agent."},
                                  {Role::user, "Find the invoice of the supplier."}};
  const auto tokens_of = [&counter](const std::vector<ConversationMessage>& messages) {
    std::int64_t tokens = 0;
    for (const auto& message : messages) tokens += counter->count_message(message);
    return tokens;
  };
  const auto room = 1'200 - counter->reply_priming_tokens() - tokens_of({context.conversation_history.front()});
  std::vector<ConversationMessage> sent;
  std::int64_t share = 0;
  std::int64_t made = 0;
  int compactions = 0;
  for (int step = 0; step < 60; ++step) {
    const auto built = manager.build(context, request);
    ASSERT_TRUE(built.has_value()) << built.error().message;
    if (!sent.empty()) {
      const auto& history = context.conversation_history;
      const auto stands = tokens_of({sent.begin() + 1, sent.end()}) + tokens_of({history.end() - 2, history.end()});
      EXPECT_EQ(built->metadata.compaction.has_value(), stands - made + share > room) << "step " << step;
    }
    if (built->metadata.compaction) {
      ++compactions;
      share = (room * 20 + (room - tokens_of({context.conversation_history[1]})) * 15) / 100;
      made = 0;
      auto kept = built->messages.begin() + 2;
      for (; kept != built->messages.end() && kept->role == Role::user; ++kept) made += counter->count_message(*kept);
      made += tokens_of({kept, built->messages.end() - 2});  // History before the newest step fills what both left.
      EXPECT_TRUE(testing::contains(text_of(built->messages[2]), "Notes of earlier messages"));
    }
    sent = built->messages;
    request.thread_state = built->thread_state;
    const auto id = "call_" + std::to_string(step);
    context.conversation_history.push_back(testing::tool_call(id, "tool"));
    context.conversation_history.push_back(testing::tool_result(id, testing::words(30)));
  }
  EXPECT_GE(compactions, 3);
}

RC_GTEST_PROP(ContextManagerPrefixPropertyTest, StepsOnlyAddToARequestUnlessItIsFull, ()) {
  check_prefixes(
      *rc::gen::element(PlannerMode::automatic, PlannerMode::llm, PlannerMode::deterministic, PlannerMode::none));
}

}  // namespace
}  // namespace ctxmgr
