// What has to hold whoever plans and summarises: good models, bad ones, and those that say nothing.
#include <future>
#include <random>
#include <thread>

#include "support/scripted_models.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::decision;
using testing::plan_for_all;
using testing::planner_reply;

constexpr const char* animals[] = {"zebra", "heron", "otter", "okapi", "panda", "tapir", "llama", "lemur"};

/// Documents of which one says where an animal lives, among much about the same animals.
class ContextManagerPlannerPropertyTest : public testing::BuildTest {
 protected:
  ContextManagerPlannerPropertyTest() {
    request_.scope = "s";
    request_.planning.mode = PlannerMode::llm;
    models_->summarize = testing::first_part;
  }

  /// The n-th case; returns what has to be sent.
  std::string make_case(std::size_t n) {
    context_ = {};
    const std::string animal = animals[n % 8];
    const auto gold = "The " + animal + " of keeper " + std::to_string(100 + n) + " lives in enclosure " +
                      std::to_string(7'000 + 13 * n) + ".";
    for (std::size_t d = 0; d < 6; ++d) {
      std::string text;
      for (std::size_t line = 0; line < 90; ++line) {
        const std::string other = animals[(line * 5 + d * 3 + n) % 8];
        text += "On day " + std::to_string(line) + " the " + other + " ate " + std::to_string(line % 9 + d) +
                " apples and slept by the water until the evening.\n";
        if (d == n % 6 && line == (n * 7) % 90) text += gold + "\n";
        if (line % 30 == 0) text += "The keeper of day " + std::to_string(line) + " was there.\n";
      }
      attach("log" + std::to_string(d), text);
    }
    if (n % 3 == 0)
      for (int i = 0; i < 30; ++i)
        say(i % 2 == 0 ? Role::user : Role::assistant,
            "We counted the apples of week " + std::to_string(i) + " again.");
    say(Role::user, "In which enclosure does the " + animal + " of keeper " + std::to_string(100 + n) + " live?");
    return gold;
  }

  /// Of so many cases, those whose evidence is sent; and each build fits.
  int kept(std::size_t cases, std::int64_t budget, std::optional<std::chrono::seconds> patience = std::nullopt) {
    int count = 0;
    for (std::size_t n = 0; n < cases; ++n) {
      const auto gold = make_case(n);
      CallOptions call;
      if (patience) call.deadline = clock_->steady_now() + *patience;
      const auto built = build(budget, call);
      EXPECT_TRUE(built);
      if (!built) continue;
      EXPECT_LE(built->metadata.input_tokens_used, budget);
      EXPECT_GE(built->metadata.input_tokens_used, budget * 95 / 100) << "case " << n;
      const auto sent = testing::all_text(built->messages);
      EXPECT_TRUE(contains(sent, "In which enclosure does")) << "the question is kept";
      count += contains(sent, gold) ? 1 : 0;
    }
    return count;
  }

  std::shared_ptr<testing::ScriptedModels> models_ = std::make_shared<testing::ScriptedModels>();
};

using Planner = std::function<std::string(const std::vector<std::string>&)>;

std::string each_another(const std::vector<std::string>& aliases) {
  constexpr const char* strategies[] = {"exclude", "summarize", "include_full", "rag_extract"};
  std::string decisions;
  for (std::size_t i = 0; i < aliases.size(); ++i)
    decisions += (i == 0 ? "" : ",") + decision(aliases[i], strategies[i % 4], "apples", 40);
  return planner_reply(decisions);
}

const std::vector<std::pair<std::string, Planner>>& planners() {
  static const std::vector<std::pair<std::string, Planner>> all = {
      {"says nothing", [](const auto&) { return planner_reply(""); }},
      {"excludes all", [](const auto& a) { return plan_for_all(a, "exclude"); }},
      {"summarises all", [](const auto& a) { return plan_for_all(a, "summarize", 60); }},
      {"summarises at length", [](const auto& a) { return plan_for_all(a, "summarize", 100'000); }},
      {"extracts little", [](const auto& a) { return plan_for_all(a, "rag_extract", 30); }},
      {"wants all of it", [](const auto& a) { return plan_for_all(a, "include_full"); }},
      {"looks for something else", each_another},
      {"chats", [](const auto&) { return "Interesting question!"; }}};
  return all;
}

TEST_F(ContextManagerPlannerPropertyTest, NoPlannerAndNoSummariserMakesAContextWorse) {
  constexpr std::size_t cases = 24;
  for (const std::int64_t budget : {1'500, 4'000}) {
    options_.client = nullptr;
    const int without = kept(cases, budget);
    EXPECT_GE(without, static_cast<int>(cases) * 9 / 10);
    options_.client = testing::client_of(models_);
    int with = 0;
    int runs = 0;
    for (const auto& [name, planner] : planners()) {
      models_->plan = planner;
      for (const bool terse : {false, true}) {
        models_->summarize = [terse](const std::string& text) {
          return terse ? std::string("The animals ate.") : testing::first_part(text);
        };
        const int now = kept(cases, budget);
        EXPECT_GE(now, without - 2) << name << (terse ? ", terse" : "") << " at " << budget;
        with += now;
        ++runs;
      }
    }
    EXPECT_GE(with * 100, (without * 100 - static_cast<int>(cases)) * runs) << "in the mean at most a point less";
  }
}

TEST_F(ContextManagerPlannerPropertyTest, SlowModelsDoNotMakeAContextWorse) {
  constexpr std::size_t cases = 24;
  constexpr std::int64_t budget = 1'500;
  options_.client = nullptr;
  const int without = kept(cases, budget);
  options_.client = testing::client_of(models_);
  for (const bool slow_planner : {true, false}) {
    for (const auto& [name, planner] : planners()) {
      models_->plan = [&, planner = planner](const auto& aliases) {
        if (slow_planner) clock_->advance(std::chrono::seconds(10));
        return planner(aliases);
      };
      models_->summarize = [&](const std::string& text) {
        clock_->advance(std::chrono::seconds(slow_planner ? 0 : 10));
        return testing::first_part(text);
      };
      EXPECT_GE(kept(cases, budget, std::chrono::seconds(5)), without - 2) << name;
    }
  }
}

TEST_F(ContextManagerPlannerPropertyTest, EqualInputAndEqualRepliesGiveEqualBytes) {
  models_->plan = each_another;
  std::string bytes;
  for (int i = 0; i < 2; ++i) {
    options_.client = testing::client_of(models_);
    make_case(3);
    const auto built = build(3'000);
    ASSERT_TRUE(built);
    const auto now = to_openai_json(built->messages) + built->thread_state.opaque;
    EXPECT_TRUE(bytes.empty() || bytes == now);
    bytes = now;
  }
}

TEST_F(ContextManagerPlannerPropertyTest, AnAgentsRunTakesFewPlansAndSummarisesNothingTwice) {
  models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 200); };
  options_.client = testing::client_of(models_);
  request_.planning.mode = PlannerMode::automatic;
  say(Role::user, "Find out where the okapi of keeper 7 lives, file by file.");
  std::int64_t tokens = 0;
  for (int i = 0; i < 44; ++i) {
    const auto id = "c" + std::to_string(i);
    add(testing::tool_call(id, "read_file"));
    std::string text;
    for (int line = 0; line < 40; ++line)
      text += "File " + std::to_string(i) + " says in line " + std::to_string(line) + " that the " +
              animals[(line + i) % 8] + " ate apples.\n";
    add(testing::tool_result(id, text));
    const auto built = build(6'000);
    ASSERT_TRUE(built) << built.error().message;
    request_.thread_state = built->thread_state;
    const auto& usage = built->metadata.planning_usage;
    tokens += usage.planner.total_tokens() + usage.summarizer.total_tokens();
  }
  RecordProperty("plans", std::to_string(models_->asked(LlmPurpose::context_planning)));
  RecordProperty("summaries", std::to_string(models_->asked(LlmPurpose::summarization)));
  RecordProperty("planning_tokens", std::to_string(tokens));
  EXPECT_LE(models_->asked(LlmPurpose::context_planning), 10U);
  EXPECT_LE(models_->asked(LlmPurpose::summarization), 20U);
  std::vector<std::string> prompts;
  for (const auto& request : models_->requests)
    if (request.purpose == LlmPurpose::summarization) prompts.push_back(text_of(request.messages.back()));
  std::sort(prompts.begin(), prompts.end());
  EXPECT_EQ(std::adjacent_find(prompts.begin(), prompts.end()), prompts.end());
}

TEST_F(ContextManagerPlannerPropertyTest, OldTurnsOfSingleRequestsAreSummarisedOnceHoweverOftenAPlanAsksForIt) {
  models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 1'500); };
  options_.client = testing::client_of(models_);
  const ContextManager manager(options_);
  request_.budget.max_input_tokens = 6'000;
  for (int i = 0; i < 100; ++i) {
    say(Role::user, "What of number " + std::to_string(i) + "?");
    const auto built = manager.build(context_, request_);
    ASSERT_TRUE(built) << built.error().message;
    std::string text;
    for (int line = 0; line < 12; ++line)
      text += "Number " + std::to_string(i) + ", line " + std::to_string(line) + ": the " + animals[(line + i) % 8] +
              " ate apples.\n";
    say(Role::assistant, text);
  }
  std::vector<std::string> prompts;
  for (const auto& request : models_->requests)
    if (request.purpose == LlmPurpose::summarization) prompts.push_back(text_of(request.messages.back()));
  RecordProperty("summaries", std::to_string(prompts.size()));
  EXPECT_GE(prompts.size(), 2U);
  EXPECT_LE(prompts.size(), 40U);
  std::sort(prompts.begin(), prompts.end());
  EXPECT_EQ(std::adjacent_find(prompts.begin(), prompts.end()), prompts.end());
}

/// Builds the same context from another thread before it answers, once.
class BuildingClient final : public LlmClient {
 public:
  BuildingClient(std::shared_ptr<testing::ScriptedModels> models, std::shared_ptr<testing::ManualClock> clock)
      : models_(std::move(models)), clock_(std::move(clock)) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions&) override {
    return models_->answer(request);
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    if (requests.front().purpose == LlmPurpose::summarization && build_once) {
      const auto build = std::exchange(build_once, nullptr);
      auto done = std::async(std::launch::async, build);
      while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
        clock_->advance(std::chrono::seconds(1));
      built = done.get();
    }
    std::vector<Result<LlmResponse>> responses;
    responses.reserve(requests.size());
    for (const auto& request : requests) responses.push_back(complete(request, call));
    return responses;
  }

  std::function<bool()> build_once;
  bool built = false;

 private:
  std::shared_ptr<testing::ScriptedModels> models_;
  std::shared_ptr<testing::ManualClock> clock_;
};

TEST_F(ContextManagerPlannerPropertyTest, AClientThatBuildsFromAnotherThreadDoesNotDeadlock) {
  models_->plan = [](const auto& aliases) { return plan_for_all(aliases, "summarize", 300); };
  const auto client = std::make_shared<BuildingClient>(models_, clock_);
  options_.client = client;
  request_.budget.max_input_tokens = 3'000;
  make_case(1);
  const ContextManager manager(options_);
  client->build_once = [&] { return manager.build(context_, request_).has_value(); };
  const auto built = manager.build(context_, request_);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(client->built);
  EXPECT_EQ(models_->asked(LlmPurpose::context_planning), 2U);
}

/// Documents of any length, and a plan for some of them as a model may write it.
struct Planned {
  Context context{};
  std::string reply{};
  std::int64_t budget = 0;
};

Planned any_planned(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&engine](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  const auto words = [&below](std::size_t count) {
    static const std::vector<std::string> vocabulary{"invoice", "supplier", "harbour", "fee",  "42",  "berth", "ledger",
                                                     "2026-11", "captain",  "tide",    "loss", "the", "of",    "quay"};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += vocabulary[below(vocabulary.size())] + (below(9) > 0 ? " " : ".\n");
    return text;
  };
  Planned planned;
  for (auto i = below(8); i > 0; --i)
    planned.context.conversation_history.push_back({i % 2 == 0 ? Role::user : Role::assistant, words(10 + below(150))});
  planned.context.conversation_history.push_back({Role::user, "what does the supplier invoice of the harbour say?"});
  const auto documents = 2 + below(8);
  std::string decisions;
  for (std::size_t i = 0; i < documents; ++i) {
    planned.context.artifacts.push_back(make_document("doc" + std::to_string(i), words(20 + below(600))));
    if (below(3) == 0) continue;
    static const std::vector<std::string> strategies{"include_full", "summarize", "rag_extract", "exclude"};
    if (!decisions.empty()) decisions += ",";
    decisions += testing::decision("a" + std::to_string(i + 1), strategies[below(4)],
                                   below(2) == 0 ? "tide captain" : "", static_cast<int>(below(500)));
  }
  planned.reply = testing::planner_reply(decisions);
  planned.budget = static_cast<std::int64_t>(300 + below(2'500));
  return planned;
}

TEST(PlanGivenBackTest, GivesTheSameBytes) {
  std::size_t plans = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto planned = any_planned(seed);
    ContextManagerOptions options;
    options.client = make_llm_client(
        [&planned](const LlmRequest& request, const CallOptions&) -> Result<LlmResponse> {
          const bool plans_now = request.purpose == LlmPurpose::context_planning;
          return testing::saying(plans_now ? planned.reply : "supplier invoice harbour fee");
        },
        1);
    const ContextManager manager(options);
    BuildRequest request;
    request.planning.mode = PlannerMode::llm;
    request.scope = "s";
    request.budget.max_input_tokens = planned.budget;
    const auto first = manager.build(planned.context, request);
    if (!first || first->metadata.plan_source != PlanSource::llm) continue;
    ++plans;
    request.plan = first->plan;
    const auto again = manager.build(planned.context, request);
    ASSERT_TRUE(again) << seed << ": " << again.error().message;
    EXPECT_EQ(to_openai_json(first->messages), to_openai_json(again->messages)) << seed;
  }
  EXPECT_GT(plans, 80U);
}

}  // namespace
}  // namespace ctxmgr
