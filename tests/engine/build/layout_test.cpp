#include "engine/build/layout.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::words;

/// How a build shares its room, as its messages show.
class LayoutTest : public testing::BuildTest {
 protected:
  static bool sends(const BuiltContext& built, const std::string& text) {
    for (const auto& message : built.messages) {
      if (text_of(message) == text) return true;
    }
    return false;
  }
};

TEST_F(LayoutTest, TheNewestTurnsHaveAPlaceWhateverElseWantsTheRoom) {
  const auto answer = words(80);
  say(Role::user, words(600));
  say(Role::assistant, answer);
  say(Role::user, "And filler3?");
  attach("doc", words(3'000));
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_TRUE(sends(*built, answer));
}

TEST_F(LayoutTest, TheAnswerBeforeAQuestionThatNamesNothingIsWhole) {
  const auto answer = "The plan: " + words(250, "step");
  for (int i = 0; i < 40; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(40, "topic" + std::to_string(i)));
  say(Role::user, "Write the plan.");
  say(Role::assistant, answer);
  say(Role::user, "Make it shorter.");
  const auto counter = make_approximate_token_counter();
  const auto built = build(counter->count(answer) * 3 / 2);
  ASSERT_TRUE(built);
  EXPECT_TRUE(sends(*built, answer));
}

TEST_F(LayoutTest, ASmallBudgetIsNotTakenByTheNewestTurn) {
  say(Role::user, "The invoice number is 4711.");
  for (int i = 0; i < 20; ++i) say(i % 2 == 0 ? Role::assistant : Role::user, words(40, "topic" + std::to_string(i)));
  say(Role::assistant, words(150));
  say(Role::user, "What was the number of the invoice that I gave you?");
  for (const std::int64_t budget : {250, 500}) {
    const auto built = build(budget);
    ASSERT_TRUE(built);
    EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "4711")) << budget;
  }
}

TEST_F(LayoutTest, ANewQuestionIsSearchedForInTheResultOfTheOneBefore) {
  std::string inventory;
  for (int i = 0; i < 300; ++i) inventory += "shelf " + std::to_string(i) + " has boxes of tea\n";
  inventory += "the ladder stands behind door nine\n";
  for (int i = 300; i < 600; ++i) inventory += "shelf " + std::to_string(i) + " has boxes of tea\n";
  say(Role::user, "Which shelf has boxes of tea?");
  add(testing::tool_call("c1"));
  add(testing::tool_result("c1", inventory));
  say(Role::user, "Where does the ladder stand?");
  for (const std::int64_t budget : {300, 1'000}) {
    const auto built = build(budget);
    ASSERT_TRUE(built);
    EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "behind door nine")) << budget;
  }
}

TEST_F(LayoutTest, ATranscriptsNewestLinesAreLinesLikeOthers) {
  say(Role::user, "The invoice number is 4711.");
  for (int i = 0; i < 40; ++i) say(Role::user, "topic" + std::to_string(i) + " " + words(10));
  say(Role::user, "What was the number of the invoice?");
  const auto built = build(120);
  ASSERT_TRUE(built);
  EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "4711"));
}

TEST_F(LayoutTest, NoMessageIsShownTwice) {
  for (int i = 0; i < 60; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "invoice " + std::to_string(1'000 + i) + " was paid");
  say(Role::user, "Which invoice was paid?");
  for (std::int64_t budget = 150; budget < 900; budget += 50) {
    const auto built = build(budget);
    ASSERT_TRUE(built);
    const auto text = testing::all_text(built->messages);
    for (int i = 0; i < 60; ++i) {
      const auto name = "invoice " + std::to_string(1'000 + i);
      const auto first = text.find(name);
      EXPECT_TRUE(first == std::string::npos || text.find(name, first + 1) == std::string::npos) << name << budget;
    }
  }
}

TEST_F(LayoutTest, TheTaskThatIsSentIsNoEvidenceBesides) {
  say(Role::user, "Make the harbour lights blink.\n\nGive exactly one command at a time.\n\n" + words(60));
  int shown = 0;
  for (int step = 0; step < 60; ++step) {
    ConversationMessage call{Role::assistant, ""};
    const auto id = "c" + std::to_string(step);
    call.tool_calls.push_back({id, "run", R"({"command":"harbour )" + std::to_string(step) + R"("})"});
    context_.conversation_history.push_back(call);
    ConversationMessage result{Role::tool, "lamp " + std::to_string(step) + " " + words(60)};
    result.tool_call_id = id;
    context_.conversation_history.push_back(result);
    if (step % 20 == 19) say(Role::user, "Give exactly one command, please, found " + words(3));
    const auto built = build(2'000);
    ASSERT_TRUE(built) << built.error().message;
    request_.thread_state = built->thread_state;
    const auto text = testing::all_text(built->messages);
    int times = 0;
    for (auto at = text.find("exactly one command at"); at != std::string::npos;
         at = text.find("exactly one command at", at + 1))
      ++times;
    shown = std::max(shown, times);
  }
  EXPECT_EQ(shown, 1);
}

TEST_F(LayoutTest, AfterACutThePrefixKeepsItsBytesForTurns) {
  std::vector<std::string> before;
  int cuts = 0;
  constexpr int turns = 40;
  for (int turn = 0; turn < turns; ++turn) {
    say(Role::user, "question " + std::to_string(turn) + " " + words(30));
    const auto built = build(2'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    std::vector<std::string> now;
    // Up to the volatile part: the block before the question, and the question.
    const auto& breaks = built->metadata.cache_breakpoints;
    const auto stable = breaks.size() > 1 ? breaks[breaks.size() - 2] + 1 : 0;
    for (std::size_t i = 0; i < stable; ++i) now.push_back(to_openai_json({built->messages[i]}));
    if (now.size() < before.size() || !std::equal(before.begin(), before.end(), now.begin())) ++cuts;
    before = std::move(now);
    say(Role::assistant, "answer " + std::to_string(turn) + " " + words(30));
  }
  EXPECT_LE(cuts, turns / 4);
}

TEST_F(LayoutTest, LosingTheThreadStateCostsNoCorrectness) {
  for (int i = 0; i < 30; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(40));
  say(Role::user, "go on");
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_LE(built->metadata.input_tokens_used, 900);
  EXPECT_EQ(text_of(built->messages.back()), "go on");
}

TEST_F(LayoutTest, AnEmbeddersUsageIsCountedOverAllSelections) {
  class Counting final : public Embedder {
   public:
    Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput, const CallOptions&) override {
      Embeddings reply;
      reply.vectors.assign(texts.size(), {1.0F, 0.5F});
      reply.usage.prompt_tokens = 10;
      total += 10;
      return reply;
    }
    std::int64_t total = 0;
  };
  const auto embedder = std::make_shared<Counting>();
  options_.embedder = embedder;
  say(Role::user, "filler3?");
  attach("doc", words(3'000));
  const auto built = build(900);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->metadata.planning_usage.embedder.prompt_tokens, embedder->total);
  const auto before = embedder->total;
  ASSERT_TRUE(ContextManager(options_).plan(context_, request_));
  EXPECT_EQ(embedder->total, before);  // A dry run asks nobody.
}

TEST_F(LayoutTest, AnEmbedderIsAskedOncePerBuildAndNotAgainForWhatItHasSeen) {
  class Recording final : public Embedder {
   public:
    Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput input,
                             const CallOptions&) override {
      (input == EmbeddingInput::query ? questions : passages) += texts.size();
      Embeddings reply;
      reply.vectors.assign(texts.size(), {1.0F, 0.5F});
      return reply;
    }
    std::size_t questions = 0;
    std::size_t passages = 0;
  };
  const auto embedder = std::make_shared<Recording>();
  options_.embedder = embedder;
  for (int i = 0; i < 40; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, std::to_string(i) + words(60));
  say(Role::user, "filler3?");
  attach("doc", words(3'000));
  const ContextManager manager(options_);
  request_.budget.max_input_tokens = 900;
  ASSERT_TRUE(manager.build(context_, request_));
  EXPECT_EQ(embedder->questions, 1U);
  const std::size_t before = embedder->passages;
  EXPECT_GT(before, 3U);
  ASSERT_TRUE(manager.build(context_, request_));
  EXPECT_EQ(embedder->questions, 2U);
  EXPECT_EQ(embedder->passages, before);
}

TEST_F(LayoutTest, AThreadThatGoesOnIsSearchedByMeaning) {
  class ByVehicle final : public Embedder {
   public:
    Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput, const CallOptions&) override {
      Embeddings reply;
      for (const auto text : texts) {
        const bool is_vehicle = text.find("car ") != text.npos || text.find("automobile") != text.npos;
        reply.vectors.push_back(is_vehicle ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
      }
      reply.usage.calls = 1;
      return reply;
    }
  };
  for (const bool has_embedder : {false, true}) {
    context_ = {};
    request_ = {};
    options_.embedder = has_embedder ? std::make_shared<ByVehicle>() : nullptr;
    const auto grown = [this] {
      auto built = build(2'000);
      if (built) request_.thread_state = built->thread_state;
      return built;
    };
    for (int turn = 0; turn < 60; ++turn) {
      say(Role::user,
          std::to_string(turn) + ": " +
              (turn == 7   ? "Our automobile, which stood for years in the yard of the old mill, has cost 731 thalers."
               : turn == 9 ? "Bert likes tea."
                           : words(30)));
      ASSERT_TRUE(grown());
      say(Role::assistant, words(30));
    }
    say(Role::user, "How expensive was the car , Bert?");
    const auto built = grown();
    ASSERT_TRUE(built);
    EXPECT_LE(built->metadata.input_tokens_used, 2'000);
    EXPECT_EQ(testing::contains(testing::all_text(built->messages), "731"), has_embedder)
        << testing::all_text(built->messages);
    EXPECT_EQ(built->metadata.planning_usage.embedder.calls > 0, has_embedder);
  }
}

TEST_F(LayoutTest, WhatWasSaidAgainInTheSameWordsIsFoundOnce) {
  for (int i = 0; i < 60; ++i) {
    say(Role::user, i < 48 && i % 2 == 0 ? "The parcel goes to the old tower." : std::to_string(i) + words(30));
    say(Role::assistant, std::to_string(i) + words(15));
  }
  say(Role::user, "Where does the parcel go?");
  for (const std::int64_t budget : {400, 600, 1'000, 2'000, 3'000}) {
    const auto built = build(budget);
    ASSERT_TRUE(built);
    const auto text = testing::all_text(built->messages);
    const auto first = text.find("to the old tower.");
    ASSERT_NE(first, std::string::npos) << budget;
    EXPECT_EQ(text.find("to the old tower.", first + 1), std::string::npos) << text;
  }
}

TEST_F(LayoutTest, AHostsOwnRankingCountsWhereWordsSayNothing) {
  for (std::size_t i = 0; i < 12; ++i)
    attach("doc" + std::to_string(i), "marker" + std::to_string(i) + ". " + words(60));
  say(Role::user, "What does a llama eat?");
  for (std::size_t best = 0; best < 12; best += 4) {
    for (std::size_t i = 0; i < 12; ++i) context_.artifacts[i].metadata["prior_score"] = i == best ? "-0.5" : "-7e1";
    const auto built = build(220);
    ASSERT_TRUE(built);
    const auto text = testing::all_text(built->messages);
    EXPECT_TRUE(testing::contains(text, context_.artifacts[best].content)) << best << " " << text;
  }
}

TEST_F(LayoutTest, AHostsRankingThatIsNoNumberIsAnError) {
  attach("doc", words(60));
  say(Role::user, "What does a llama eat?");
  for (const char* wrong : {"", "high", "1,5", "inf", "0.5 "}) {
    context_.artifacts[0].metadata["prior_score"] = wrong;
    const auto built = build(2'000);
    ASSERT_FALSE(built) << wrong;
    EXPECT_EQ(built.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(built.error().message.find("prior_score"), std::string::npos);
  }
}

TEST_F(LayoutTest, WhatIsWrittenShorterWithoutLossIsWhole) {
  std::string json = "[";
  for (int i = 0; i < 40; ++i)
    json += "\n        {\n            \"invoice\" :   " + std::to_string(i) + "\n        }" + (i < 39 ? "," : "\n]");
  say(Role::user, "Which invoice?");
  attach("list.json", json);
  const auto counter = make_approximate_token_counter();
  const auto built = build(counter->count(json));
  ASSERT_TRUE(built);
  EXPECT_LE(built->metadata.input_tokens_used, counter->count(json));
  const auto& record = built->metadata.artifacts_processed[0];
  EXPECT_TRUE(record.strategy != ProcessingStrategy::include_full || record.processed_tokens < record.original_tokens);
}

TEST_F(LayoutTest, ExcerptsOfShortMessagesFillTheRoom) {
  for (int i = 0; i < 200; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant,
        "invoice " + std::to_string(i) + " was paid by person " + std::to_string(i));
  say(Role::user, "Who paid which invoice?");
  for (const std::int64_t budget : {400, 1'000, 1'800}) {
    const auto built = build(budget);
    ASSERT_TRUE(built);
    EXPECT_GE(built->metadata.input_tokens_used, budget * 95 / 100);
  }
}

TEST_F(LayoutTest, WhatTheAssistantSaidHelpsToFindWhatAShortQuestionMeans) {
  for (int i = 0; i < 40; ++i) say(i % 2 == 0 ? Role::user : Role::assistant, words(20));
  say(Role::user, "The zebra crossing is closed until March.");
  for (int i = 0; i < 40; ++i) say(i % 2 == 0 ? Role::assistant : Role::user, words(20));
  say(Role::assistant, "Shall I look up the crossing of the zebra?");
  say(Role::user, "Yes please.");
  const auto built = build(500);
  ASSERT_TRUE(built);
  EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "closed until March"));
}

TEST_F(LayoutTest, WhatAStepSaysHelpsToFindWhatItNeedsInASingleRequest) {
  for (int i = 0; i < 40; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(60, "word" + std::to_string(i)));
  say(Role::user, "The zebra crossing is closed until March.");
  for (int i = 0; i < 41; ++i)
    say(i % 2 == 0 ? Role::assistant : Role::user, "filler3 " + words(60, "word" + std::to_string(i)));
  say(Role::user, "And filler3?");
  auto call = testing::tool_call("call");
  call.content = "First I find out whether the crossing of the zebra is open.";
  context_.conversation_history.push_back(call);
  context_.conversation_history.push_back(testing::tool_result("call", "nothing"));
  const auto built = build(600);
  ASSERT_TRUE(built);
  EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "closed until March"));
}

TEST_F(LayoutTest, TheBlockStaysTheSameWhileItsQuestionIsWorkedOn) {
  for (int i = 0; i < 60; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "filler3 " + words(60, "word" + std::to_string(i)));
  say(Role::user, "Where is filler3?");
  request_.history.evidence_share = 0.3;
  std::string block;
  for (int step = 0; step < 5; ++step) {
    const auto built = build(2'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    std::string now;
    for (const auto& message : built->messages) {
      if (testing::contains(text_of(message), "<data-")) now = text_of(message);
    }
    ASSERT_FALSE(now.empty());
    if (step <= 1) block = now;  // The first build fills the room; the second one leaves some for what follows.
    EXPECT_EQ(now, block) << step;
    const auto id = "call" + std::to_string(step);
    auto call = testing::tool_call(id);
    call.content = "Next: " + words(7, "word" + std::to_string(step + 3));
    context_.conversation_history.push_back(call);
    context_.conversation_history.push_back(testing::tool_result(id, "nothing"));
  }
}

/// An agent that was compacted: a state and the request that was sent last.
TEST_F(LayoutTest, ResultsOfAnySizeLeaveTaskAndNotesAsTheyWere) {
  say(Role::system, "You mend code.");
  say(Role::user, "Mend parse_fee in src/late_fee.cpp.");
  std::vector<std::string> before;
  int rewrites = 0;
  constexpr int steps = 60;
  for (int step = 0; step < steps; ++step) {
    say(Role::assistant, "Next.\n```sh\nls dir_" + std::to_string(step) + "\n```");
    say(Role::user, "<out>file_" + std::to_string(step) + ".cpp " +
                        words(static_cast<std::size_t>(step % 5) * 20, "word" + std::to_string(step)) + "</out>");
    const auto built = build(1'500);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    std::vector<std::string> now;
    for (const auto& message : built->messages) now.push_back(to_openai_json({message}));
    if (now.size() < before.size() || !std::equal(before.begin(), before.end(), now.begin())) ++rewrites;
    before = std::move(now);
  }
  EXPECT_GT(rewrites, 0);
  EXPECT_LE(rewrites, steps / 6);
}

TEST_F(LayoutTest, NotesOfMaskedResultsStandBehindTheSystemMessage) {
  say(Role::system, "You mend code.");
  say(Role::user, "Mend parse_fee in src/late_fee.cpp.");
  bool had_notes = false;
  for (int step = 0; step < 12; ++step) {
    const auto id = "call" + std::to_string(step);
    context_.conversation_history.push_back(testing::tool_call(id));
    context_.conversation_history.push_back(
        testing::tool_result(id, "file_" + std::to_string(step) + ".cpp " + words(150, id)));
    const auto built = build(2'000);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    EXPECT_EQ(built->messages.front().role, Role::system) << step;
    for (const auto& message : built->messages) had_notes |= testing::contains(text_of(message), "<notes-");
  }
  EXPECT_TRUE(had_notes);
}

TEST_F(LayoutTest, AnAgentWithLittleRoomGetsEvidenceForAQuestionToo) {
  for (const std::int64_t budget : {2'000, 8'000}) {
    context_.conversation_history.clear();
    request_.thread_state = {};
    bool found = false;
    for (int step = 0; step < 60; ++step) {
      const auto id = "call" + std::to_string(step);
      context_.conversation_history.push_back(testing::tool_call(id));
      context_.conversation_history.push_back(testing::tool_result(id, "filler3 " + words(150, id)));
      say(Role::user, "And filler3 of the house of " + std::string(static_cast<std::size_t>(step + 1), 'q') + "?");
      const auto built = build(budget);
      ASSERT_TRUE(built);
      if (step > 0) {
        for (const auto& message : built->messages) found |= testing::contains(text_of(message), "<data-");
      }
      request_.thread_state = built->thread_state;
    }
    EXPECT_TRUE(found) << budget;
  }
}

TEST_F(LayoutTest, ALongTaskLeavesRoomForTheNewestStepAndTheRulesWithAndWithoutAState) {
  for (const bool has_state : {true, false}) {
    context_.conversation_history.clear();
    request_.thread_state = {};
    const auto work = [&](int step) {
      const auto id = "call" + std::to_string(step);
      context_.conversation_history.push_back(testing::tool_call(id));
      context_.conversation_history.push_back(
          testing::tool_result(id, "value_" + std::to_string(step) + " " + words(400, id)));
    };
    say(Role::user, "Mend the service. " + words(300, "first"));
    work(0);
    say(Role::user, "Never touch the generated files.");
    for (int step = 1; step < 8; ++step) work(step);
    say(Role::assistant, "It is mended.");
    say(Role::user, "Now do the same here: " + words(700, "task"));
    for (int step = 10; step < 16; ++step) {
      work(step);
      const auto built = build(2'000);
      ASSERT_TRUE(built);
      if (has_state) request_.thread_state = built->thread_state;
      const auto text = testing::all_text(built->messages);
      EXPECT_TRUE(testing::contains(text, "Never touch the generated files.")) << has_state << step << text;
      EXPECT_EQ(built->messages.back().role, Role::tool) << has_state << step;
    }
  }
}

TEST_F(LayoutTest, AnExtractOfTheNewestResultLeavesRoomForEvidence) {
  say(Role::user, "And filler3?");
  for (int step = 0; step < 12; ++step) {
    const auto id = "call" + std::to_string(step);
    context_.conversation_history.push_back(testing::tool_call(id));
    context_.conversation_history.push_back(testing::tool_result(id, "filler3 " + words(150, id)));
  }
  context_.conversation_history.push_back(testing::tool_call("last"));
  context_.conversation_history.push_back(testing::tool_result("last", words(3'000)));
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_LE(make_approximate_token_counter()->count_message(built->messages.back()), 250);
  EXPECT_TRUE(testing::contains(testing::all_text(built->messages), "<data-"));
}

}  // namespace
}  // namespace ctxmgr::engine
