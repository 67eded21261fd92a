#include "ctxmgr/openai.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;

nlohmann::json sorted(const std::string& text) { return nlohmann::json::parse(text); }

const char* const whole_request = R"({
  "model": "gpt-4o", "temperature": 0.2, "max_tokens": 10, "max_completion_tokens": 500,
  "messages": [
    {"role": "system", "content": "You book flights."},
    {"role": "assistant", "content": "Done.", "reasoning_events": [{"type": "tool_result", "step_iteration": 1,
      "metadata": {"tool_results": [{"tool_name": "search", "success": true, "result": "hit"}]}}]},
    {"role": "user", "content": "Move my flight.", "x_vendor": 1}],
  "tools": [{"type": "function", "function": {"name": "get_booking", "strict": true}}],
  "attachments": [{"title": "rules.txt", "content": "No refunds."}],
  "steps": [{"step_index": 0, "tool_results": [{"tool_name": "f", "result": "r"}]}]})";

TEST(OpenAiTest, ReadsAWholeRequest) {
  const auto in = parse_openai_request(whole_request);
  ASSERT_TRUE(in);
  EXPECT_EQ(in->request.models.primary, "gpt-4o");
  EXPECT_EQ(in->request.models.context_planner, "") << "the client's own model";
  EXPECT_EQ(in->request.budget.reserved_output_tokens, 500);
  EXPECT_EQ(in->request.tools.at(0).name, "get_booking");
  ASSERT_EQ(in->context.conversation_history.size(), 3U);
  EXPECT_EQ(in->context.conversation_history[1].reasoning_steps.at(0).tool_results.at(0).result, "hit");
  EXPECT_EQ(in->context.step_records.size(), 1U);
  EXPECT_EQ(in->context.artifacts.at(0).content, "No refunds.");
  EXPECT_EQ(in->context.all_artifacts().size(), 3U);
}

TEST(OpenAiTest, ABareArrayOfMessagesIsARequest) {
  const auto in = parse_openai_request(R"([{"role":"user","content":"hi"}])");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->context.conversation_history.size(), 1U);
  EXPECT_EQ(in->request.models.primary, "");
  EXPECT_EQ(with_messages("[]", {{Role::user, "hi"}}).value(), R"([{"role":"user","content":"hi"}])");
}

TEST(OpenAiTest, TheRequestComesBackWithOtherMessagesAndWithoutWhatOnlyWeKnow) {
  const auto in = parse_openai_request(whole_request);
  auto expected = sorted(whole_request);
  expected.erase("attachments");
  expected.erase("steps");
  expected["messages"][1].erase("reasoning_events");
  EXPECT_EQ(sorted(with_messages(whole_request, in->context.conversation_history).value()), expected);
}

TEST(OpenAiTest, SaysWhatIsWrongAndWhere) {
  const auto error = [](const char* json) { return parse_openai_request(json).error(); };
  EXPECT_EQ(error("7").message, "expected a chat request or an array of messages, found number");
  EXPECT_EQ(error("{}").message, "/messages: expected an array, found null or nothing");
  EXPECT_EQ(error(R"({"messages":{}})").message, "/messages: expected an array, found object");
  EXPECT_EQ(error(R"({"messages":[{"role":"user"},7]})").message, "/messages/1: expected an object, found number");
  EXPECT_EQ(error(R"({"messages":[],"model":7})").message, "/model: expected a string, found number");
  EXPECT_EQ(error(R"({"messages":[],"max_tokens":-1})").message, "/max_tokens: expected a positive number of tokens");
  EXPECT_EQ(error(R"({"messages":[],"max_completion_tokens":1e300})").message,
            "/max_completion_tokens: expected an integer of at most 64 bits");
  EXPECT_EQ(error(R"({"messages":[],"attachments":[{"title":"x"}]})").message,
            "/attachments/0: needs content or attachment_id");
  EXPECT_EQ(error(R"({"messages":[],"attachments":[{"attachment_id":"x"}]})").code, ErrorCode::not_found);
  EXPECT_EQ(error("{\n\"messages\" []}").message, "malformed JSON at line 2, column 12");
  EXPECT_EQ(with_messages("7", {}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(with_messages("{", {}).error().code, ErrorCode::invalid_argument);
}

TEST(OpenAiTest, AChatRequestCannotAskTheServiceToCompact) {
  BuildRequest options;
  options.history.service_compacts_at = 40'000;
  EXPECT_EQ(build_openai(ContextManager(), whole_request, options).error().code, ErrorCode::invalid_argument);
}

TEST(OpenAiTest, ARequestWithoutMessagesIsRefused) {
  for (const char* json : {R"({"messages":[]})", "[]", R"({"messages":[],"attachments":[{"content":"x"}]})"}) {
    const auto in = parse_openai_request(json);
    ASSERT_FALSE(in) << json;
    EXPECT_EQ(in.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(in.error().message, "/messages: there are none");
  }
}

TEST(OpenAiTest, ABrokenHistoryIsMended) {
  const char* const body = R"([{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"c",
      "type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"b"}])";
  const auto mended = build_openai(ContextManager(), body);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(mended->body, HasSubstr("no result: interrupted"));
  EXPECT_THAT(mended->metadata, HasSubstr("mended: message 2, call"));
}

TEST(OpenAiTest, FunctionsOfTheOldFormGoBackInIt) {
  const std::string long_text(9'000, 'x');
  const auto body = R"({"messages":[{"role":"user","content":"a"},
      {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"},"tool_calls":null},
      {"role":"function","name":"f","content":")" +
                    long_text + R"("},{"role":"user","content":"b"}]})";
  BuildRequest request;
  request.budget.max_input_tokens = 100'000;
  EXPECT_EQ(sorted(build_openai(ContextManager(), body, request).value().body.c_str()), sorted(body.c_str()));
  request.budget.max_input_tokens = 1'000;
  request.planning.mode = PlannerMode::none;
  const auto cut = build_openai(ContextManager(), body, request);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->body.find("tool_call_id"), std::string::npos) << cut->body;
}

TEST(OpenAiTest, BlocksOfAnthropicAreRefused) {
  const auto refusal = [](const std::string& body) {
    const auto built = build_openai(ContextManager(), body);
    EXPECT_FALSE(built) << body;
    return built ? std::string() : built.error().message;
  };
  EXPECT_EQ(refusal(R"([{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"x"},
                        {"type":"tool_use","id":"t","name":"f","input":{}}]}])"),
            "/1/content/1: a block of type tool_use is of Anthropic's Messages, not of a chat request");
  EXPECT_EQ(refusal(R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]})"),
            "/messages/0/content/0: a block of type tool_result is of Anthropic's Messages, not of a chat request");
  EXPECT_EQ(refusal(R"({"system":"Be brief.","messages":[{"role":"user","content":"hi"}]})"),
            "a request with a field \"system\" is one of Anthropic's Messages, not a chat request");
}

TEST(OpenAiTest, ABodyOfThinkingIsCountedAndNotLetThrough) {
  BuildRequest options;
  options.budget.max_input_tokens = 6'000;
  options.history.oversized = Oversized::fail;
  std::string thoughts;
  for (int i = 0; i < 30'000; ++i) thoughts += "again ";
  const auto built = build_openai(
      ContextManager(), R"([{"role":"user","content":[{"type":"thinking","thinking":")" + thoughts + "\"}]}]", options);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded);
}

TEST(OpenAiTest, EmptyFieldsAreReadable) {
  const auto in = parse_openai_request(
      R"({"model":null,"messages":[{"role":"user","content":""}],"tools":[],"attachments":[],"steps":null})");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->context.conversation_history.size(), 1U);
  EXPECT_TRUE(in->context.all_artifacts().empty());
}

TEST(OpenAiTest, OneCallFromTextToText) {
  BuildRequest options;
  options.budget.max_input_tokens = 4'000;
  const auto fitted = build_openai(ContextManager(), whole_request, options);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const auto body = sorted(fitted->body);
  EXPECT_EQ(body["temperature"], 0.2);
  EXPECT_EQ(body.count("attachments"), 0U);
  EXPECT_EQ(body["messages"].front()["content"], "You book flights.");
  EXPECT_THAT(fitted->body, HasSubstr("No refunds."));
  EXPECT_THAT(fitted->body, HasSubstr("x_vendor"));
  EXPECT_EQ(sorted(fitted->metadata)["max_input_tokens"].get<int>() > 0, true);
}

TEST(OpenAiTest, ErrorsOfTheBuildComeThrough) {
  BuildRequest options;
  options.budget.max_input_tokens = 1;
  EXPECT_EQ(build_openai(ContextManager(), whole_request, options).error().code, ErrorCode::budget_exceeded);
  EXPECT_EQ(build_openai(ContextManager(), "{").error().code, ErrorCode::invalid_argument);
}

// Twenty tools, of which one is about the weather.
std::string request_with_tools(const std::string& more) {
  std::string tools;
  for (int i = 0; i < 20; ++i)
    tools += R"({"type":"function","strict":true,"function":{"name":"ledger_)" + std::to_string(i) +
             R"(","description":"Reads one of the many ledgers of the books, account by account."}},)";
  return R"({"model":"gpt-4o","messages":[{"role":"user","content":"Will the weather change?"}],"tools":[)" + tools +
         R"({"type":"function","function":{"name":"get_weather","description":"The weather of a city."}}])" + more +
         "}";
}

TEST(OpenAiTest, ToolsThatTheQuestionDoesNotNeedAreLeftOutOfTheBody) {
  BuildRequest options;
  options.tools_budget = 200;
  const auto fitted = build_openai(ContextManager(), request_with_tools(""), options);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const auto tools = sorted(fitted->body)["tools"];
  ASSERT_GE(tools.size(), 2U);
  const auto& search = tools.back();
  EXPECT_EQ(tools[tools.size() - 2]["function"]["name"], "get_weather");
  EXPECT_EQ(search["type"], "function");
  EXPECT_EQ(search["function"]["name"], "search_tools");
  EXPECT_EQ(search["function"]["parameters"]["required"][0], "query");
  const std::size_t left_out = sorted(fitted->metadata)["tools_left_out"].size();
  EXPECT_GT(left_out, 15U);
  EXPECT_EQ(tools.size() - 1 + left_out, 21U);
}

TEST(OpenAiTest, TheToolThatIsDemandedIsSentAsItCame) {
  BuildRequest options;
  options.tools_budget = 200;
  const auto fitted =
      build_openai(ContextManager(),
                   request_with_tools(R"(,"tool_choice":{"type":"function","function":{"name":"ledger_7"}})"), options);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const auto tools = sorted(fitted->body)["tools"];
  const auto demanded =
      std::find_if(tools.begin(), tools.end(), [](const auto& tool) { return tool["function"]["name"] == "ledger_7"; });
  ASSERT_NE(demanded, tools.end());
  EXPECT_EQ((*demanded)["strict"], true);
}

TEST(OpenAiTest, WithoutABudgetForToolsTheyComeBackAsTheyWere) {
  const auto fitted = build_openai(ContextManager(), request_with_tools(R"(,"tool_choice":"auto")"));
  ASSERT_TRUE(fitted) << fitted.error().message;
  EXPECT_EQ(sorted(fitted->body)["tools"], sorted(request_with_tools(""))["tools"]);
}

std::string built_of(const std::string& body, const BuildRequest& options = {}) {
  const auto built = build_openai(ContextManager(), body, options);
  return built ? built->body : built.error().message;
}

TEST(OpenAiTest, HalfASurrogatePairBecomesAReplacementCharacterWithANote) {
  const auto built = build_openai(ContextManager(), R"([{"role":"user","content":"build \ud83d 4411"}])");
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->body, "[{\"role\":\"user\",\"content\":\"build \uFFFD 4411\"}]");
  EXPECT_THAT(built->metadata, HasSubstr("mended: half of a surrogate pair became U+FFFD"));
}

TEST(OpenAiTest, NumbersThatPassThroughKeepTheirDigits) {
  const std::string body =
      R"({"model":"gpt-4o","temperature":0.70,"seed":12345678901234567890123,"messages":[{"role":"user","content":"a"}],)"
      R"("tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object","properties":{"wei":)"
      R"({"type":"integer","maximum":115792089237316195423570985008687907853269984665640564039457584007913129639935}}}}}]})";
  EXPECT_EQ(built_of(body), body);
}

TEST(OpenAiTest, FormsThatServicesRefuseAreWrittenAsTheyTakeThem) {
  const std::string body = R"([{"role":"user","content":"a"},{"role":"assistant","content":"b","tool_calls":[]},
      {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],
       "function_call":{"name":"f","arguments":"{}"}},{"role":"tool","tool_call_id":"c","content":null},
      {"role":"user","content":"d"}])";
  EXPECT_EQ(built_of(body), R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
                            R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",)"
                            R"("function":{"name":"f","arguments":"{}"}}]},)"
                            R"({"role":"tool","content":"","tool_call_id":"c"},{"role":"user","content":"d"}])");
}

TEST(OpenAiTest, AFieldOfOursUnderANameThatIsNearlyRightIsNamed) {
  const auto error = [](const char* json) { return parse_openai_request(json).error().message; };
  EXPECT_EQ(error(R"({"messages":[],"attachements":[]})"),
            "/attachements: there is no such field: is \"attachments\" meant?");
  EXPECT_EQ(error(R"({"messages":[],"Step":[]})"), "/Step: there is no such field: is \"steps\" meant?");
  EXPECT_TRUE(parse_openai_request(R"({"messages":[{"role":"user","content":"a"}],"stop":["x"]})"));
}

TEST(OpenAiTest, WhatIsWrongWithAnAttachmentOrAToolHasItsPlace) {
  const auto error = [](const char* json) { return parse_openai_request(json).error().message; };
  EXPECT_EQ(error(R"({"messages":[{"role":"user","content":"a"}],"attachments":[{"title":"x"}]})"),
            "/attachments/0: needs content or attachment_id");
  EXPECT_EQ(error(R"({"messages":[{"role":"user","content":"a"}],"attachments":[{"title":"x","content":"%PDF-1.7"}]})"),
            "/attachments/0: content is binary: give the text that is in it");
  EXPECT_EQ(error(R"({"messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":"{"}}]})"),
            "/tools/0/function/parameters: expected an object, found string");
}

TEST(OpenAiTest, ToolsThatAreAllowedAreSentAndSeveralRepliesGetNoSearch) {
  std::string tools;
  for (int i = 0; i < 40; ++i)
    tools += std::string(i == 0 ? "" : ",") + R"({"type":"function","function":{"name":"tool_)" + std::to_string(i) +
             R"(","description":")" + std::string(300, 'd') + R"("}})";
  const auto request = [&](const std::string& more) {
    return R"({"messages":[{"role":"user","content":"hello"}],"tools":[)" + tools + "]," + more + "}";
  };
  BuildRequest options;
  options.tools_budget = 400;
  const auto names = [&](const std::string& more) {
    std::vector<std::string> found;
    const auto body = sorted(built_of(request(more), options));
    for (const auto& tool : body["tools"]) found.push_back(tool["function"]["name"].get<std::string>());
    return found;
  };
  EXPECT_THAT(names(R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[
                        {"type":"function","function":{"name":"tool_31"}},{"type":"function","function":{"name":"tool_7"}}]}})"),
              ::testing::IsSupersetOf({"tool_31", "tool_7", "search_tools"}));
  EXPECT_THAT(
      names(R"("tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"tool_31"}]})"),
      ::testing::Contains("tool_31"));
  EXPECT_THAT(names(R"("n":2)"), ::testing::Not(::testing::Contains("search_tools")));
  EXPECT_THAT(names(R"("n":1)"), ::testing::Contains("search_tools"));
}

}  // namespace
}  // namespace ctxmgr
