#include "engine/build/growth.hpp"

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

class GrowthTest : public testing::BuildTest {
 protected:
  void work(const std::string& result) {
    const auto id = "c" + std::to_string(context_.conversation_history.size());
    add(testing::tool_call(id));
    add(testing::tool_result(id, result));
  }

  /// Builds, and keeps the state.
  BuiltContext step(std::int64_t budget) {
    auto built = build(budget);
    EXPECT_TRUE(built) << built.error().message;
    request_.thread_state = built->thread_state;
    return std::move(*built);
  }

  static bool begins_with(const std::vector<ConversationMessage>& messages,
                          const std::vector<ConversationMessage>& beginning) {
    if (messages.size() < beginning.size()) return false;
    return to_openai_json(std::vector<ConversationMessage>(
               messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(beginning.size()))) ==
           to_openai_json(beginning);
  }

  static bool was_compacted(const BuiltContext& built) {
    return std::any_of(built.metadata.notes.begin(), built.metadata.notes.end(),
                       [](const std::string& note) { return note.rfind("compacted: ", 0) == 0; });
  }
};

TEST_F(GrowthTest, BetweenTwoCompactionsARequestIsTheOneBeforeAndSomethingAtItsEnd) {
  say(Role::system, "You are an agent.");
  say(Role::user, "Find out which port the service listens on, and say how it is started.");
  std::vector<ConversationMessage> before;
  int compactions = 0;
  for (int i = 0; i < 60; ++i) {
    if (i % 12 == 11) {
      say(Role::assistant, "That is done.");
      say(Role::user, "Which value did port_" + std::to_string(i - 9) + " have?");
    } else {
      work("port_" + std::to_string(i) + " is " + std::to_string(7'000 + i) + ".\n" + words(60));
    }
    const auto built = step(3'000);
    compactions += was_compacted(built) ? 1 : 0;
    if (!before.empty() && !was_compacted(built)) {
      EXPECT_TRUE(begins_with(built.messages, before)) << i;
    }
    before = built.messages;
  }
  EXPECT_GT(compactions, 2);
  EXPECT_LT(compactions, 25);
}

TEST_F(GrowthTest, AQuestionAboutWhatWasCutIsAnsweredInSmallRoomsToo) {
  for (const std::int64_t budget : {2'000, 3'000, 4'000, 8'000}) {
    context_ = {};
    request_.thread_state = {};
    say(Role::user, "Look at all of the invoices.");
    for (int i = 0; i < 40; ++i) {
      work("invoice INV-" + std::to_string(i) + " of supplier" + std::to_string(i) + " says " +
           (i == 3 ? "the discount code is HERON" : "nothing") + "\n" + words(budget == 8'000 ? 250 : 100));
      step(budget);
    }
    say(Role::assistant, "Seen all of them.");
    say(Role::user, "What was the discount code on the invoice of supplier3?");
    const auto asked = step(budget);
    EXPECT_TRUE(contains(testing::all_text(asked.messages), "HERON")) << budget;
    work("ok");
    EXPECT_TRUE(contains(testing::all_text(step(budget).messages), "HERON")) << budget;
  }
}

TEST_F(GrowthTest, AnAnswerThatNoRoomIsLeftBesideTakesNeitherNotesNorEvidenceWithIt) {
  say(Role::user, "Look at all of the invoices.");
  for (int i = 0; i < 20; ++i) {
    work("invoice INV-" + std::to_string(i) + " of supplier" + std::to_string(i) + " says " +
         (i == 3 ? "the discount code is HERON" : "nothing") + "\n" + words(100));
    step(2'000);
  }
  say(Role::assistant, words(2'500));
  say(Role::user, "What was the discount code on the invoice of supplier3?");
  const auto built = step(2'000);
  const auto text = testing::all_text(built.messages);
  EXPECT_TRUE(contains(text, "HERON"));
  EXPECT_TRUE(contains(text, "Notes of earlier messages"));
  EXPECT_TRUE(contains(text, "Look at all of the invoices."));
}

TEST_F(GrowthTest, LargeResultsBesideEachOtherShareTheRoomAndTheNotesStay) {
  for (const bool has_state : {true, false}) {
    context_ = {};
    request_.thread_state = {};
    say(Role::user, "Find the fault in the payment service, and mend it where it is.");
    work(words(20));
    say(Role::assistant, "The fault is in the generated files.");
    say(Role::user, "Never touch the generated files in src/gen_4711.");
    for (int i = 0; i < 40; ++i) {
      work("value_" + std::to_string(i) + "\n" + words(60));
      if (has_state) step(6'000);
    }
    auto calls = testing::tool_call("a");
    for (const auto* const id : {"b", "c"}) calls.tool_calls.push_back(testing::tool_call(id).tool_calls[0]);
    add(std::move(calls));
    for (const auto* const id : {"a", "b", "c"}) {
      std::string lines;
      for (int line = 0; line < 600; ++line) lines += id + std::to_string(line * 7919) + " " + words(4) + "\n";
      add(testing::tool_result(id, lines));
    }
    const auto built = step(6'000);
    const auto& receipt = built.metadata;
    EXPECT_GT(receipt.breakdown.notes_tokens, 0) << has_state;
    EXPECT_TRUE(contains(testing::all_text(built.messages), "src/gen_4711")) << has_state;
    EXPECT_GT(receipt.breakdown.tool_tokens, 2'000) << has_state;
    if (!has_state) continue;
    ASSERT_TRUE(receipt.compaction);
    EXPECT_NEAR(static_cast<double>(receipt.compaction->tokens_after), static_cast<double>(receipt.input_tokens_used),
                20);
  }
}

TEST_F(GrowthTest, AChatIsNotCompactedAtEachMessageAndItsQuestionsAreAnswered) {
  say(Role::system, "You are a friend.");
  int compactions = 0;
  int answered = 0;
  for (int day = 0; day < 200; ++day) {
    const bool asks = day % 8 == 7;
    const int earlier = day / 16 * 8;
    if (asks)
      say(Role::user, "Whom did I meet at place_" + std::to_string(earlier) + ", and what did we eat?");
    else
      say(Role::user,
          "At place_" + std::to_string(day) + " I met friend_" + std::to_string(1'000 + day) + ". " + words(30));
    const auto built = step(3'000);
    compactions += was_compacted(built) ? 1 : 0;
    if (asks)
      answered += std::any_of(built.messages.begin(), built.messages.end(), [&](const ConversationMessage& message) {
        return contains(text_of(message), "friend_" + std::to_string(1'000 + earlier) + ".");
      });
    say(Role::assistant, "I see.");
  }
  EXPECT_GE(compactions, 3);
  EXPECT_LE(compactions, 40);  // 200 builds, 25 questions.
  EXPECT_GE(answered, 24);
}

TEST_F(GrowthTest, EvidenceOfAChatGoesWithTheNextQuestionAndTheTurnsBeforeItStay) {
  say(Role::system, "You are a friend.");
  for (int day = 0; day < 60; ++day) {
    say(Role::user, "At place_" + std::to_string(day) + " I met friend_" + std::to_string(day) + ". " + words(30));
    step(3'000);
    say(Role::assistant, "I see.");
  }
  const auto asked_about = [&](int day) {
    say(Role::user, "Whom did I meet at place_" + std::to_string(day) + "?");
    auto built = step(3'000);
    say(Role::assistant, "A friend.");
    return built;
  };
  const auto first = asked_about(2);
  const auto found = testing::all_text(first.messages);
  ASSERT_TRUE(contains(found, "friend_2.")) << found;
  say(Role::user, "Thank you.");
  const auto thanked = step(3'000);
  EXPECT_TRUE(begins_with(thanked.messages, first.messages)) << "nothing is looked up, and nothing goes";
  say(Role::assistant, "You are welcome.");
  const auto second = asked_about(5);
  EXPECT_FALSE(was_compacted(second));
  const auto text = testing::all_text(second.messages);
  EXPECT_TRUE(contains(text, "friend_5."));
  EXPECT_FALSE(contains(text, "friend_2.")) << "it was for the question before";
  EXPECT_TRUE(contains(text, "place_2?")) << "which is still there";
}

TEST_F(GrowthTest, DocumentsThatAQuestionDoesNotAskForTakeNoRoomInAThread) {
  std::string manual;
  for (int i = 0; i < 600; ++i)
    manual += "Part " + std::to_string(i) + " of the pump turns valve_" + std::to_string(i) + " until it is shut.\n\n";
  say(Role::system, "You are a friend.");
  say(Role::user, "My dog is called Bosse, and he eats beetroot.");
  say(Role::assistant, "Nice.");
  context_.artifacts.push_back(make_document("manual", manual));
  say(Role::user, "Which part of the pump turns valve_120?");
  const auto asked = step(3'000);
  EXPECT_TRUE(contains(testing::all_text(asked.messages), "Part 120 of the pump"));
  say(Role::assistant, "Part 120.");
  say(Role::user, "What does my dog Bosse eat?");
  const auto other = step(3'000);
  const auto text = testing::all_text(other.messages);
  EXPECT_FALSE(contains(text, "of the pump turns valve_7 ")) << text;
  EXPECT_TRUE(contains(text, "he eats beetroot"));
  EXPECT_EQ(other.metadata.breakdown.artifact_tokens, 0);
  ASSERT_EQ(other.metadata.artifacts_processed.size(), 1U);
  EXPECT_EQ(other.metadata.artifacts_processed[0].reason,
            "less than a quarter as relevant as the best passage, or as what was said before");
  say(Role::assistant, "Beetroot.");
  say(Role::user, "And which part of the pump turns valve_7?");
  EXPECT_TRUE(contains(testing::all_text(step(3'000).messages), "Part 7 of the pump"));
}

TEST_F(GrowthTest, DocumentsThatAreWholeStandBeforeTheConversationAndStayThere) {
  say(Role::system, "You are a friend.");
  context_.artifacts.push_back(make_document("rules", "Boats are let to members."));
  say(Role::user, "Who may take a boat?");
  auto before = step(3'000).messages;
  ASSERT_TRUE(contains(text_of(before[1]), "Boats are let to members."));
  for (const char* const next : {"Thank you.", "And who may take a car?"}) {
    say(Role::assistant, "Members.");
    say(Role::user, next);
    const auto built = step(3'000);
    EXPECT_TRUE(begins_with(built.messages, before)) << next;
    before = built.messages;
  }
}

TEST_F(GrowthTest, DocumentsThatFillTheFirstRequestLeaveStepsHalfOfTheRoomAfterwards) {
  context_.artifacts.push_back(make_document("rules", words(1'500)));
  say(Role::user, "Apply the rules.");
  int compactions = 0;
  for (int i = 0; i < 30; ++i) {
    const auto built = step(3'000);
    compactions += was_compacted(built) ? 1 : 0;
    const auto documents = built.metadata.breakdown.artifact_tokens;
    if (i == 0) {
      EXPECT_GT(documents, 2'000);
    }
    if (compactions > 0) {
      EXPECT_LE(documents, 1'500 + 525) << "with evidence for the task";
      EXPECT_GT(documents, 1'000);
    }
    work(words(30));
  }
  EXPECT_GE(compactions, 1);
  EXPECT_LE(compactions, 4);
}

TEST_F(GrowthTest, WhatTheTaskAskedForAtTheBeginningIsThereWhenAllIsRead) {
  for (const bool has_state : {true, false}) {
    for (const std::int64_t budget : {4'000, 8'000}) {
      context_ = {};
      request_.thread_state = {};
      say(Role::user, "Which discount code does supplier3 have? Read all invoices first, then answer.");
      int compactions = 0;
      for (int i = 0; i < 60; ++i) {
        work("invoice INV-" + std::to_string(i) + " of supplier" + std::to_string(i) + " has the discount code " +
             (i == 3 ? "HERON" : "KITE_" + std::to_string(i)) + "\n" + words(static_cast<std::size_t>(budget / 25)));
        if (has_state) compactions += was_compacted(step(budget)) ? 1 : 0;
      }
      const auto last = build(budget);
      ASSERT_TRUE(last);
      EXPECT_TRUE(contains(testing::all_text(last->messages), "HERON")) << has_state << " " << budget;
      EXPECT_TRUE(compactions > 2 || !has_state) << compactions;
    }
  }
}

TEST_F(GrowthTest, EvidenceForTheTaskStandsBehindTheNotesAndIsTheSameWithAndWithoutAState) {
  say(Role::user, "Which discount code does supplier3 have? Read all invoices first, then answer.");
  for (int i = 0; i < 60; ++i) {
    work("invoice INV-" + std::to_string(i) + " of supplier" + std::to_string(i) + " has the discount code KITE_" +
         std::to_string(i) + "\n" + words(150));
    const auto warm = step(6'000);
    auto without = request_;
    without.thread_state = {};
    const auto cold = ContextManager(options_).build(context_, without);
    ASSERT_TRUE(cold);
    EXPECT_EQ(to_openai_json(warm.messages), to_openai_json(cold->messages)) << i;
  }
}

TEST_F(GrowthTest, WhatOnlyRestatesTheTaskIsNoEvidenceForIt) {
  say(Role::user,
      "Find the ledger that says what the repair of the crane in the northern harbour cost in spring, and tell which "
      "supplier "
      "billed it.");
  work("I have to find the ledger that says what the repair of the crane in the northern harbour cost in spring.");
  for (int i = 0; i < 60; ++i) {
    work((i == 3 ? "ledger: the repair of the crane was billed by HERON in April\n" : "ledger: nothing of note\n") +
         words(200));
    step(6'000);
  }
  const auto last = build(6'000);
  ASSERT_TRUE(last);
  const auto sent = testing::all_text(last->messages);
  EXPECT_TRUE(contains(sent, "billed by HERON"));
  EXPECT_FALSE(contains(sent, "I have to find the ledger"));
}

TEST_F(GrowthTest, EvidenceSurvivesCompactionsWhileItsQuestionRuns) {
  say(Role::user, "Look at all of the invoices.");
  for (int i = 0; i < 40; ++i) {
    work("invoice " + std::to_string(i) + (i == 3 ? " has the discount code HERON for supplier3" : " has none") + "\n" +
         words(100));
    step(4'000);
  }
  say(Role::assistant, "Seen all of them.");
  say(Role::user, "What was the discount code of supplier3?");
  step(4'000);
  int compactions = 0;
  for (int i = 0; i < 60 && compactions < 2; ++i) {
    work(words(100, "other"));
    const auto built = step(4'000);
    compactions += was_compacted(built) ? 1 : 0;
    EXPECT_TRUE(contains(testing::all_text(built.messages), "HERON for")) << compactions;
  }
  EXPECT_EQ(compactions, 2);
}

TEST_F(GrowthTest, WithoutAStateTheSameCompactionsAreFoundAgain) {
  say(Role::user, "Look at all of the invoices of the year and write down what is wrong with each of them.");
  std::vector<ConversationMessage> before;
  int rewritten = 0;
  for (int i = 0; i < 60; ++i) {
    work("invoice INV-" + std::to_string(i) + "\n" + words(120));
    auto built = build(6'000);
    ASSERT_TRUE(built);
    rewritten += begins_with(built->messages, before) ? 0 : 1;
    before = std::move(built->messages);
  }
  EXPECT_GT(rewritten, 1);
  EXPECT_LT(rewritten, 10);
}

TEST_F(GrowthTest, AResultThatIsTooLargeIsAnExtractFromWhereItCameAndStaysSo) {
  say(Role::user, "Which supplier has the code HERON?");
  work(words(1'000) + "\nsupplier9 has the code HERON\n" + words(1'000));
  const auto first = step(5'000);
  EXPECT_TRUE(contains(testing::all_text(first.messages), "HERON\n"));
  EXPECT_TRUE(contains(testing::all_text(first.messages), "[extract of"));
  work("ok");
  EXPECT_TRUE(begins_with(step(5'000).messages, first.messages));
}

TEST_F(GrowthTest, AnEditAnywhereInWhatWasSentIsSeen) {
  say(Role::user, "Look at all of the invoices.");
  for (int i = 0; i < 30; ++i) work("invoice INV-" + std::to_string(1'000 + i) + "\n" + words(80));
  const ContextManager manager(options_);
  request_.budget.max_input_tokens = 3'000;
  rc::check("one byte of any message", [&] {
    auto context = context_;
    auto request = request_;
    const auto first = manager.build(context, request);
    RC_ASSERT(first.has_value());
    request.thread_state = first->thread_state;
    auto& history = context.conversation_history;
    auto& message = history[2 * *rc::gen::inRange<std::size_t>(0, history.size() / 2)];
    auto text = text_of(message);
    if (text.empty()) return;
    auto& byte = text[*rc::gen::inRange<std::size_t>(0, text.size())];
    byte = byte == 'q' ? 'z' : 'q';
    message.content = text;
    const auto warm = manager.build(context, request);
    const auto cold = ContextManager(options_).build(context, request);
    RC_ASSERT(warm.has_value() && cold.has_value());
    RC_ASSERT(to_openai_json(warm->messages) == to_openai_json(cold->messages));
    const auto& notes = warm->metadata.notes;
    RC_ASSERT(std::any_of(notes.begin(), notes.end(),
                          [](const std::string& note) { return contains(note, "have changed"); }));
  });
}

}  // namespace
}  // namespace ctxmgr
