#include "engine/build/prepared_summaries.hpp"

#include <algorithm>

#include "support/scripted_models.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;

constexpr std::int64_t budget = 4'000;
constexpr int steps = 48;

/// An agent that reads one file after the other.
class PreparedSummariesTest : public testing::BuildTest {
 protected:
  PreparedSummariesTest() {
    request_.scope = "s";
    request_.budget.max_input_tokens = budget;
    models_->plan = [](const auto&) { return testing::planner_reply(""); };
    models_->summarize = [](const std::string& text) {
      return "They read " + text.substr(text.find("file_"), 7) + " and found nothing.";
    };
    options_.client = testing::client_of(models_);
    say(Role::system, "You are an agent.");
    say(Role::user, "Mend the fees, one module after the other.");
  }

  void act(int step) {
    const auto number = std::to_string(step);
    const auto id = "c" + number;
    auto call = testing::tool_call(id, "read");
    call.tool_calls[0].arguments_json = R"({"path":"file_)" + std::to_string(step + 10) + "\"}";
    add(std::move(call));
    std::string text;
    for (int line = 0; line < 20; ++line)
      text += "Line " + std::to_string(line) + " of file_" + std::to_string(step + 10) + " says nothing of value.\n";
    add(testing::tool_result(id, text));
  }

  std::size_t summaries() const { return models_->asked(LlmPurpose::summarization); }

  struct Figures {
    int compactions = 0;
    int with_summary = 0;
    int broken_prefix = 0;
    int over = 0;
    std::size_t made_by_builds = 0;
    std::size_t made_ahead = 0;
    int first_prepared = -1;
    std::int64_t filled_then = 0;
  };

  template <class Prepare>
  Figures replay(const ContextManager& manager, const Prepare& prepare) {
    Figures figures;
    std::string before;
    for (int step = 0; step < steps; ++step) {
      act(step);
      const auto asked = summaries();
      const auto built = manager.build(context_, request_);
      EXPECT_TRUE(built) << built.error().message;
      if (!built) return figures;
      figures.made_by_builds += summaries() - asked;
      figures.over += built->metadata.input_tokens_used > budget ? 1 : 0;
      request_.thread_state = built->thread_state;
      auto now = to_openai_json(built->messages);
      now.pop_back();
      const bool is_compacted = built->metadata.compaction.has_value();
      figures.compactions += is_compacted ? 1 : 0;
      figures.with_summary += is_compacted && contains(now, "summary of [") ? 1 : 0;
      figures.broken_prefix += !is_compacted && now.compare(0, before.size(), before) != 0 ? 1 : 0;
      before = std::move(now);
      const auto ahead = summaries();
      prepare(manager);
      figures.made_ahead += summaries() - ahead;
      if (figures.first_prepared < 0 && summaries() > ahead) {
        figures.first_prepared = step;
        figures.filled_then = built->metadata.input_tokens_used;
      }
    }
    return figures;
  }

  /// In the background of a host.
  void prepare_with_client(const ContextManager& manager) {
    const auto took = manager.prepare_compaction(context_, request_);
    ASSERT_TRUE(took) << took.error().message;
  }

  std::shared_ptr<testing::ScriptedModels> models_ = std::make_shared<testing::ScriptedModels>();
};

TEST_F(PreparedSummariesTest, ACompactionUsesSummariesThatWereMadeAheadAndMakesNone) {
  const auto figures = replay(ContextManager(options_), [this](const auto& manager) { prepare_with_client(manager); });
  ASSERT_GT(figures.compactions, 2);
  EXPECT_EQ(figures.with_summary, figures.compactions);
  EXPECT_GT(figures.made_ahead, 0U);
  EXPECT_EQ(figures.made_by_builds, 0U);
  EXPECT_EQ(figures.broken_prefix, 0);
  EXPECT_EQ(figures.over, 0);
}

TEST_F(PreparedSummariesTest, WithoutPreparationNoCompactionHasAny) {
  const auto figures = replay(ContextManager(options_), [](const auto&) {});
  ASSERT_GT(figures.compactions, 2);
  EXPECT_EQ(figures.with_summary, 0);
  EXPECT_EQ(summaries(), 0U);
}

TEST_F(PreparedSummariesTest, NothingIsMadeBeforeTheRoomIsNearlyFullAndNothingTwice) {
  const auto figures = replay(ContextManager(options_), [this](const auto& manager) { prepare_with_client(manager); });
  EXPECT_GT(figures.filled_then, budget * 7 / 10);
  std::vector<std::string> prompts;
  for (const auto& request : models_->requests)
    if (request.purpose == LlmPurpose::summarization) prompts.push_back(text_of(request.messages.back()));
  std::sort(prompts.begin(), prompts.end());
  EXPECT_EQ(std::adjacent_find(prompts.begin(), prompts.end()), prompts.end());
}

TEST_F(PreparedSummariesTest, AModelThatIsDownIsAnErrorAndIsAskedAgainAfterAMinute) {
  int calls = 0;
  bool is_down = true;
  options_.client = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    ++calls;
    if (is_down) return fail(ErrorCode::unavailable, "down");
    return testing::saying("They read the files and found nothing.");
  });
  request_.planning.max_llm_calls = 0;
  const ContextManager manager(options_);
  int errors = 0;
  int repeated = 0;
  replay(manager, [&](const ContextManager& by) {
    const auto took = by.prepare_compaction(context_, request_);
    if (!took) {
      ++errors;
      EXPECT_EQ(took.error().code, ErrorCode::unavailable);
      EXPECT_TRUE(contains(took.error().message, "calls brought a summary, the last for this reason: down"));
    }
    const auto before = calls;
    EXPECT_TRUE(by.prepare_compaction(context_, request_)) << "nothing is asked for at once again";
    repeated += calls - before;
  });
  EXPECT_GT(errors, 0);
  EXPECT_EQ(repeated, 0);
  is_down = false;
  for (int step = 0; step < 20; ++step) {
    act(step);
    const auto built = manager.build(context_, request_);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    clock_->advance(std::chrono::seconds(30));
    calls = 0;
    if (const auto took = manager.prepare_compaction(context_, request_); took && took->calls > 0) break;
  }
  EXPECT_GT(calls, 0);
}

TEST_F(PreparedSummariesTest, AHostThatMakesTheCallsItselfGetsThem) {
  const auto client = std::exchange(options_.client, nullptr);
  const ContextManager manager(options_);
  const auto figures = replay(manager, [&](const ContextManager& by) {
    auto preparation = by.start_compaction(context_, request_);
    ASSERT_TRUE(preparation);
    while (!preparation->done())
      for (const auto& pending : preparation->next_calls())
        preparation->reply(pending.id, client->complete(pending.request, {}));
  });
  EXPECT_GT(figures.made_ahead, 0U);
  request_.compact_now = true;
  auto build = manager.start(context_, request_);
  ASSERT_TRUE(build);
  while (!build->done())
    for (const auto& pending : build->next_calls()) build->reply(pending.id, fail(ErrorCode::unavailable, "down"));
  const auto built = std::move(*build).finish();
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), "summary of ["));
}

TEST_F(PreparedSummariesTest, APreparationBuildsNothingAndTellsNobody) {
  int heard = 0;
  options_.observer = make_observer([&](const Event& event) { heard += event.kind == EventKind::compaction ? 1 : 0; });
  const ContextManager manager(options_);
  act(0);
  auto preparation = manager.start_compaction(context_, request_);
  ASSERT_TRUE(preparation);
  EXPECT_TRUE(preparation->done());
  const auto built = std::move(*preparation).finish();
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(heard, 0);
  options_.client = nullptr;
  EXPECT_FALSE(ContextManager(options_).prepare_compaction(context_, request_));
}

TEST_F(PreparedSummariesTest, AForgottenSummaryLeavesNamesAndANote) {
  const auto prepare = [this](const auto& manager) { prepare_with_client(manager); };
  replay(ContextManager(options_), prepare);
  const auto built = ContextManager(options_).build(context_, request_);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(testing::all_text(built->messages), "summary of ["));
  const auto& notes = built->metadata.notes;
  const auto is_said = [](const std::string& note) { return contains(note, "was forgotten"); };
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), is_said));
}

TEST_F(PreparedSummariesTest, WithoutAScopeTheyAreMadeInTheProcessAndRefusedOverAStoreOfOthers) {
  request_.scope.clear();
  const auto figures = replay(ContextManager(options_), [this](const auto& manager) { prepare_with_client(manager); });
  ASSERT_GT(figures.compactions, 2);
  EXPECT_EQ(figures.with_summary, figures.compactions);
  options_.summary_store = make_memory_key_value_store();
  const ContextManager shared(options_);
  const auto refused = shared.prepare_compaction(context_, request_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(contains(refused.error().message, "scope"));
  EXPECT_FALSE(shared.start_compaction(context_, request_));
  request_.planning.mode = PlannerMode::deterministic;
  EXPECT_TRUE(shared.prepare_compaction(context_, request_)) << "there is nothing to keep";
}

TEST_F(PreparedSummariesTest, AnotherScopeOrTheDeterministicModeHasNone) {
  const ContextManager manager(options_);
  replay(manager, [this](const auto& by) { prepare_with_client(by); });
  const auto made = summaries();
  request_.compact_now = true;
  const auto own = manager.build(context_, request_);
  ASSERT_TRUE(own);
  EXPECT_TRUE(contains(testing::all_text(own->messages), "summary of ["));
  request_.scope = "other";
  const auto others = manager.build(context_, request_);
  ASSERT_TRUE(others);
  EXPECT_FALSE(contains(testing::all_text(others->messages), "summary of ["));
  request_.planning.mode = PlannerMode::deterministic;
  ASSERT_TRUE(manager.prepare_compaction(context_, request_));
  EXPECT_EQ(summaries(), made);
}

TEST_F(PreparedSummariesTest, SegmentsStayWhereTheyEndAsAThreadGrows) {
  const auto counter = make_approximate_token_counter();
  const auto segments_now = [&] {
    ThreadAnalysis thread;
    EXPECT_TRUE(thread.extend(context_.conversation_history, *counter));
    return thread_segments(thread, 1'000);
  };
  for (int step = 0; step < 20; ++step) act(step);
  const auto before = segments_now();
  for (int step = 20; step < 30; ++step) act(step);
  const auto later = segments_now();
  ASSERT_GT(before.size(), 2U);
  ASSERT_GT(later.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].first, later[i].first);
    EXPECT_EQ(before[i].last, later[i].last);
  }
}

TEST_F(PreparedSummariesTest, AThreadThatIsSeenFromALaterMessageOnHasTheSameSegments) {
  const auto counter = make_approximate_token_counter();
  for (int step = 0; step < 60; ++step) act(step);
  const auto texts_from = [&](std::size_t first) {
    const std::vector<ConversationMessage> seen(
        context_.conversation_history.begin() + static_cast<std::ptrdiff_t>(first),
        context_.conversation_history.end());
    ThreadAnalysis thread;
    EXPECT_TRUE(thread.extend(seen, *counter));
    std::vector<std::pair<std::string, std::string>> ends;
    for (const auto& segment : thread_segments(thread, 1'000))
      ends.emplace_back(text_of(seen[segment.first]), text_of(seen[segment.last - 1]));
    return ends;
  };
  const auto whole = texts_from(0);
  ASSERT_GT(whole.size(), 10U);
  for (const std::size_t first : {14U, 16U, 18U, 20U, 22U}) {
    const auto later = texts_from(first);
    ASSERT_GT(later.size(), 6U);
    EXPECT_TRUE(std::equal(later.end() - 6, later.end(), whole.end() - 6)) << "seen from " << first;
  }
}

TEST_F(PreparedSummariesTest, AContextMayChangeOnceItsPreparationHasStarted) {
  const ContextManager manager(options_);
  std::optional<ContextBuild> preparation;
  for (int step = 0; step < steps && (!preparation || preparation->done()); ++step) {
    act(step);
    const auto built = manager.build(context_, request_);
    ASSERT_TRUE(built);
    request_.thread_state = built->thread_state;
    auto started = manager.start_compaction(context_, request_);
    ASSERT_TRUE(started);
    preparation = std::move(*started);
  }
  context_ = Context{};
  std::size_t calls = 0;
  while (!preparation->done())
    for (const auto& pending : preparation->next_calls()) {
      ++calls;
      preparation->reply(pending.id, options_.client->complete(pending.request, {}));
    }
  EXPECT_GT(calls, 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
