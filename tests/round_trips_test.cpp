#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include "core/json/json.hpp"
#include "core/models/model_names.hpp"
#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_forms.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ctxmgr/responses.hpp"
#include "ports/estimate_by_kind.hpp"
#include "support/anthropic_rules.hpp"
#include "support/openai_rules.hpp"
#include "support/request_bodies.hpp"
#include "support/responses_rules.hpp"
#include "support/sanitizers.hpp"

/// Bodies of three services, written from their documentation by another hand than the code. The last twenty of each file
/// end in an open call.
namespace ctxmgr {
namespace {

using testing::with_budget;

constexpr std::size_t first_open = 180;

struct Built {
  std::string body;
  std::vector<ConversationMessage> messages;  ///< As they are read from it.
};

/// A service's form, and how it is built and judged.
struct Form {
  const char* file;
  std::function<Result<Built>(const std::string&, const BuildRequest&)> build;
  std::function<std::string(const Json&, bool)> offence_in;
};

template <class Build, class Parse>
Result<Built> build_with(Build build, Parse parse, const std::string& body, const BuildRequest& request) {
  auto built = build(ContextManager(), body, request);
  if (!built) return tl::unexpected(built.error());
  auto read = parse(built->body);
  if (!read) return fail(ErrorCode::internal, "what was built is not read: " + read.error().message);
  return Built{std::move(built->body), std::move(read->context.conversation_history)};
}

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"openai",
       [](const std::string& body, const BuildRequest& request) {
         return build_with([](const auto& m, const auto& b, const auto& r) { return build_openai(m, b, r); },
                           [](const auto& b) { return parse_openai_request(b); }, body, request);
       },
       &testing::OpenAiRules::offence_in},
      {"anthropic",
       [](const std::string& body, const BuildRequest& request) {
         return build_with([](const auto& m, const auto& b, const auto& r) { return build_anthropic(m, b, r); },
                           [](const auto& b) { return parse_anthropic_request(b); }, body, request);
       },
       &testing::AnthropicRules::offence_in},
      {"responses",
       [](const std::string& body, const BuildRequest& request) {
         return build_with([](const auto& m, const auto& b, const auto& r) { return build_responses(m, b, r); },
                           [](const auto& b) { return parse_responses_request(b); }, body, request);
       },
       &testing::ResponsesRules::offence_in}};
  return all;
}

/// By what its model counts text and images as.
std::int64_t tokens_of(const Built& built) {
  const auto body = *parse_json(built.body);
  const std::string* const model = get_string(body, "model");
  std::shared_ptr<TokenCounter> texts = make_approximate_token_counter();
  if (model != nullptr && !model->empty()) texts = make_estimating_counter(vocabulary_family(*model));
  const auto counter = make_model_token_counter(std::move(texts), model == nullptr ? "" : *model);
  return count_messages(*counter, built.messages);
}

std::vector<std::string> bodies_of(const Form& form) {
  std::ifstream file(std::string(CTXMGR_TEST_BODIES) + "/" + form.file + "_bodies.jsonl");
  std::vector<std::string> bodies;
  for (std::string line; std::getline(file, line);) bodies.push_back(line);
  EXPECT_EQ(bodies.size(), 200U) << form.file;
  return bodies;
}

TEST(RoundTripsTest, TheBodiesKeepTheRules) {
  for (const auto& form : forms()) {
    const auto bodies = bodies_of(form);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      EXPECT_EQ(form.offence_in(*parse_json(bodies[i]), i >= first_open), "") << form.file << " " << i;
  }
}

TEST(RoundTripsTest, WithRoomABodyComesBackAsItWas) {
  for (const auto& form : forms()) {
    const auto bodies = bodies_of(form);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto built = form.build(bodies[i], with_budget(100'000'000));
      EXPECT_TRUE(built) << form.file << " " << i << ": " << built.error().message;
      if (!built) continue;
      // Calls that are answered in part are no service's idea of an end.
      const bool is_torn = i >= first_open && built->body.find("no result: interrupted") != std::string::npos;
      const bool same = is_torn || *parse_json(built->body) == *parse_json(bodies[i]);
      EXPECT_TRUE(same) << form.file << " " << i << "\n" << bodies[i] << "\n" << built->body;
      equal += same ? 1 : 0;
    }
    EXPECT_EQ(equal, bodies.size()) << form.file;
  }
}

TEST(RoundTripsTest, WhereOfTheConversationNothingFitsThereIsNoEmptyRequest) {
  const std::string reply(400, 'r');
  const std::string bodies[] = {
      R"({"messages":[{"role":"system","content":"s"},{"role":"assistant","content":")" + reply + R"("}]})",
      R"({"system":"s","messages":[{"role":"assistant","content":")" + reply + R"("}]})",
      R"({"instructions":"s","input":[{"role":"assistant","content":")" + reply + R"("}]})"};
  for (std::size_t i = 0; i < std::size(bodies); ++i) {
    EXPECT_TRUE(forms()[i].build(bodies[i], with_budget(500)));
    const auto built = forms()[i].build(bodies[i], with_budget(30));
    ASSERT_FALSE(built) << built->body;
    EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded) << built.error().message;
  }
  EXPECT_TRUE(forms()[0].build(R"({"messages":[{"role":"system","content":"s"}]})", with_budget(30)))
      << "where there was nothing else";
}

TEST(RoundTripsTest, AnyBudgetGivesWhatTheServiceTakes) {
  for (const auto& form : forms()) {
    const auto bodies = bodies_of(form);
    std::size_t builds = 0;
    constexpr std::size_t nth = CTXMGR_INSTRUMENTED ? 3 : 1;  // Fewer bodies and budgets, where each is slow.
    constexpr std::int64_t growth = CTXMGR_INSTRUMENTED ? 1 : 4;
    for (std::size_t i = 0; i < bodies.size(); i += nth) {
      for (std::int64_t budget = 200; budget < 9'000; budget += budget / growth) {
        const auto place = std::string(form.file) + " " + std::to_string(i) + " at " + std::to_string(budget);
        const auto built = form.build(bodies[i], with_budget(budget));
        if (!built) {
          EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded) << place << ": " << built.error().message;
          continue;
        }
        ++builds;
        EXPECT_EQ(form.offence_in(*parse_json(built->body), i >= first_open), "") << place << "\n" << built->body;
        EXPECT_LE(tokens_of(*built), budget) << place;
      }
    }
    RecordProperty(std::string(form.file) + "_builds", std::to_string(builds));
    std::cout << form.file << ": " << bodies.size() << " bodies, " << builds << " builds\n";
    EXPECT_GT(builds, 1'000U / nth) << form.file;
  }
}

using Messages = std::vector<ConversationMessage>;

std::string sentences_about(int count, const std::string& word) {
  std::string text = "The " + word + " said";
  for (int i = 0; i < count; ++i) text += " " + word + std::to_string(i) + (i % 9 == 8 ? ".\n" : "");
  return text;
}

void add_turn(Messages& messages, int turn) {
  const auto number = std::to_string(turn);
  ConversationMessage question{Role::user, sentences_about(*rc::gen::inRange(1, 60), "harbour") + "?"};
  if (*rc::gen::inRange(0, 4) == 0) {
    question.content = std::vector<ContentPart>{
        {PartKind::text, "What is in picture " + number + "?", {}},
        {PartKind::image,
         {},
         R"({"type":"image_url","image_url":{"url":"https://example.com/)" + number + R"(.png"}})"}};
  }
  messages.push_back(std::move(question));
  const int rounds = *rc::gen::inRange(0, 4);
  for (int round = 0; round < rounds; ++round) {
    ConversationMessage calls{Role::assistant};
    if (*rc::gen::inRange(0, 2) == 0) calls.content = sentences_about(*rc::gen::inRange(1, 20), "look");
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i)
      calls.tool_calls.push_back({"call_" + std::to_string(messages.size()) + "_" + std::to_string(i), "search",
                                  dump_json({{"q", sentences_about(*rc::gen::inRange(1, 200), "fee")}})});
    const auto made = calls.tool_calls;
    messages.push_back(std::move(calls));
    for (const auto& call : made) {
      messages.push_back({Role::tool, sentences_about(*rc::gen::inRange(1, 900), "ledger")});
      messages.back().tool_call_id = call.id;
    }
  }
  messages.push_back({Role::assistant, sentences_about(*rc::gen::inRange(1, 40), "answer")});
}

Messages any_thread() {
  Messages messages;
  if (*rc::gen::inRange(0, 3) > 0) messages.push_back({Role::system, "You run a harbour."});
  const int turns = *rc::gen::inRange(1, 8);
  for (int turn = 0; turn < turns; ++turn) add_turn(messages, turn);
  messages.push_back({Role::user, "What was the first fee?"});
  return messages;
}

std::string body_of(const Form& form, const Messages& messages) {
  const std::string_view service = form.file;
  if (service == "anthropic") return to_anthropic_json(messages).value();
  if (service == "responses") return R"({"input":)" + to_responses_json(messages) + "}";
  return R"({"messages":)" + to_openai_json(messages) + "}";
}

TEST(RoundTripsTest, AnyThreadAtAnyBudgetIsTaken) {
  EXPECT_TRUE(rc::check([] {
    const auto messages = any_thread();
    const auto budget = *rc::gen::inRange<std::int64_t>(200, 12'000);
    for (const auto& form : forms()) {
      const auto built = form.build(body_of(form, messages), with_budget(budget));
      if (!built) {
        if (built.error().code != ErrorCode::budget_exceeded) RC_FAIL(form.file + (": " + built.error().message));
        continue;
      }
      const auto offence = form.offence_in(*parse_json(built->body), false);
      if (!offence.empty()) RC_FAIL(form.file + (": " + offence) + "\n" + built->body);
      RC_ASSERT(tokens_of(*built) <= budget);
    }
  }));
}

}  // namespace
}  // namespace ctxmgr
