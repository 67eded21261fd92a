#include "ctxmgr/responses.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/json/json.hpp"
#include "support/request_bodies.hpp"

namespace ctxmgr {
namespace {

using testing::numbered_words;
using testing::parsed;
using testing::with_budget;

Json responses_history(int turns, std::size_t result_words) {
  Json input = Json::array();
  for (int turn = 0; turn < turns; ++turn) {
    const auto id = std::to_string(turn);
    input.push_back({{"role", "user"}, {"content", "Question " + id + " about the harbour."}});
    for (const char* const call : {"a", "b"}) {
      input.push_back({{"type", "reasoning"}, {"id", "rs_" + id + call}, {"summary", Json::array()}});
      input.push_back({{"type", "function_call"},
                       {"id", "fc_" + id + call},
                       {"call_id", id + call},
                       {"name", "search"},
                       {"arguments", "{}"},
                       {"status", "completed"}});
    }
    for (const char* const call : {"a", "b"}) {
      input.push_back(
          {{"type", "function_call_output"}, {"call_id", id + call}, {"output", numbered_words(result_words, "fee")}});
    }
    input.push_back(
        {{"type", "message"},
         {"id", "msg_" + id},
         {"role", "assistant"},
         {"status", "completed"},
         {"content", {{{"type", "output_text"}, {"text", "It is " + id + "."}, {"annotations", Json::array()}}}}});
  }
  input.push_back({{"role", "user"}, {"content", {{{"type", "input_text"}, {"text", "What was the first fee?"}}}}});
  return {{"model", "gpt-5"},
          {"instructions", "You run a harbour."},
          {"max_output_tokens", 500},
          {"input", input},
          {"store", false}};
}

std::string text_or(const Json& object, std::string_view key, std::string otherwise) {
  const std::string* const text = get_string(object, key);
  return text != nullptr ? *text : std::move(otherwise);
}

/// What the service refuses: an output without its call, a call without its output, thoughts without what they led to.
std::string offence_in(const Json& request) {
  std::map<std::string, int> calls;
  std::string last;
  for (const Json& item : request["input"]) {
    const auto type = text_or(item, "type", "message");
    if (last == "reasoning" && type != "function_call" && type != "reasoning" &&
        text_or(item, "role", "") != "assistant")
      return "thoughts without what follows them";
    if (type == "function_call") ++calls[item["call_id"].string()];
    if (type == "function_call_output" && --calls[item["call_id"].string()] != 0) return "an output without its call";
    last = type;
  }
  for (const auto& [id, open] : calls) {
    if (open != 0) return "a call without its output";
  }
  return {};
}

TEST(ResponsesTest, ReadsAWholeRequest) {
  const auto in = parse_responses_request(dump_json(responses_history(2, 3)));
  ASSERT_TRUE(in) << in.error().message;
  EXPECT_EQ(in->request.models.primary, "gpt-5");
  EXPECT_EQ(in->request.budget.reserved_output_tokens, 500);
  ASSERT_EQ(in->context.conversation_history.size(), 12U);
  EXPECT_EQ(text_of(in->context.conversation_history[0]), "You run a harbour.");
  EXPECT_EQ(in->context.conversation_history[2].tool_calls.size(), 2U);
}

TEST(ResponsesTest, WithRoomTheRequestComesBackAsItWas) {
  for (const int turns : {1, 3}) {
    const auto body = responses_history(turns, 20);
    const auto built = build_responses(ContextManager(), dump_json(body), with_budget(60'000));
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(parsed(built->body), body);
  }
}

TEST(ResponsesTest, AnyBudgetGivesWhatTheServiceTakes) {
  const auto body = responses_history(12, 150);
  std::size_t built_at = 0;
  for (std::int64_t budget = 200; budget < 20'000; budget += budget / 5) {
    const auto built = build_responses(ContextManager(), dump_json(body), with_budget(budget));
    if (!built) {
      EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded);
      continue;
    }
    ++built_at;
    EXPECT_EQ(offence_in(parsed(built->body)), "") << "budget " << budget;
  }
  EXPECT_GT(built_at, 15U);
}

TEST(ResponsesTest, AServiceMayCompactByItselfAndWhatItMadeIsSentUnbroken) {
  Json request = responses_history(4, 60);
  BuildRequest options;
  options.budget.max_input_tokens = 60'000;
  options.history.service_compacts_at = 40'000;
  const auto asked = build_responses(ContextManager(), dump_json(request), options);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(dump_json(parsed(asked->body)["context_management"]),
            R"([{"type":"compaction","compact_threshold":40000}])");

  const Json sealed = {{"type", "compaction"}, {"id", "cmp_1"}, {"encrypted_content", "c2VhbGVk"}};
  request["input"].push_back(sealed);
  request["input"].push_back({{"role", "user"}, {"content", "And what now?"}});
  request["context_management"] = Json::array();
  options.budget.max_input_tokens = 400;
  const auto built = build_responses(ContextManager(), dump_json(request), options);
  ASSERT_TRUE(built) << built.error().message;
  const Json body = parsed(built->body);
  EXPECT_EQ(dump_json(body["context_management"]), "[]") << "as the host has it";
  std::size_t calls = 0;
  bool is_there = false;
  for (const Json& item : body["input"]) {
    is_there = is_there || item == sealed;
    calls += text_or(item, "type", "") == "function_call" ? 1 : 0;
  }
  EXPECT_TRUE(is_there);
  EXPECT_EQ(calls, 0U) << "what stands in the compaction is not sent beside it";
  EXPECT_NE(built->metadata.find("compacted the first"), std::string::npos);
}

TEST(ResponsesTest, AStringIsAnInputToo) {
  const auto built = build_responses(ContextManager(), R"({"model":"gpt-5","input":"hi"})", with_budget(1'000));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(parsed(built->body)["input"], "hi");
}

TEST(ResponsesTest, AResultMayAnswerACallThatTheServiceKeeps) {
  const auto item = R"({"type":"function_call_output","call_id":"c","output":"42"})";
  EXPECT_EQ(build_responses(ContextManager(), R"({"input":""})").error().message, "/input: there are no items");
  const auto body =
      R"({"previous_response_id":"r","input":[)" + std::string(item) + R"(,{"role":"user","content":"so?"}]})";
  const auto built = build_responses(ContextManager(), body, with_budget(200));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(parsed(built->body), parsed(body));
}

TEST(ResponsesTest, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* body) { return build_responses(ContextManager(), body).error().message; };
  EXPECT_EQ(error(R"({"input":[]})"), "/input: there are no items");
  EXPECT_EQ(error("{}"), "/input: expected a string or an array of items");
  EXPECT_EQ(error(R"({"input":[{"type":"function_call"}]})"),
            "/input/0/call_id: expected a string, found null or nothing");
  EXPECT_EQ(error(R"({"input":"x","max_output_tokens":0})"),
            "/max_output_tokens: expected a positive number of tokens");
}

TEST(ResponsesTest, ToolsThatTheQuestionDoesNotNeedAreLeftOut) {
  Json body{{"model", "gpt-5"}, {"input", "Will the weather change?"}};
  body["tools"].push_back({{"type", "web_search"}});
  for (int i = 0; i < 20; ++i)
    body["tools"].push_back({{"type", "function"},
                             {"name", "ledger_" + std::to_string(i)},
                             {"description", "Reads one of the many ledgers of the books, account by account."}});
  BuildRequest options = with_budget(2'000);
  options.tools_budget = 100;
  const auto built = build_responses(ContextManager(), dump_json(body), options);
  ASSERT_TRUE(built) << built.error().message;
  const Json tools = parsed(built->body)["tools"];
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(tools[0]["type"], "web_search");
  EXPECT_EQ(tools[1]["name"], "search_tools");
  EXPECT_EQ(tools[1]["type"], "function");
}

}  // namespace
}  // namespace ctxmgr
