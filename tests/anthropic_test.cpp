#include "ctxmgr/anthropic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "support/anthropic_rules.hpp"
#include "support/request_bodies.hpp"

namespace ctxmgr {
namespace {

using testing::AnthropicRules;
using ::testing::HasSubstr;
using testing::numbered_words;
using testing::parsed;
using testing::with_budget;

/// An agent's history: thoughts, parallel calls between words, results of all kinds, a document, an image.
Json anthropic_history(int turns, std::size_t result_words) {
  Json messages = Json::array();
  for (int turn = 0; turn < turns; ++turn) {
    const auto id = "toolu_" + std::to_string(turn);
    messages.push_back({{"role", "user"}, {"content", "Question " + std::to_string(turn) + " about the harbour."}});
    messages.push_back(
        {{"role", "assistant"},
         {"content",
          {{{"type", "thinking"}, {"thinking", "Let me look."}, {"signature", "c2ln"}},
           {{"type", "text"}, {"text", "I look it up."}},
           {{"type", "tool_use"}, {"id", id + "a"}, {"name", "search"}, {"input", {{"q", "fee"}, {"n", turn}}}},
           {{"type", "redacted_thinking"}, {"data", "xyz"}},
           {{"type", "tool_use"}, {"id", id + "b"}, {"name", "read"}, {"input", Json::object()}}}}});
    messages.push_back(
        {{"role", "user"},
         {"content",
          {{{"type", "tool_result"}, {"tool_use_id", id + "a"}, {"content", numbered_words(result_words, "fee")}},
           {{"type", "tool_result"},
            {"tool_use_id", id + "b"},
            {"content",
             {{{"type", "text"}, {"text", numbered_words(result_words, "page")}},
              {{"type", "image"}, {"source", {{"type", "url"}, {"url", "https://example.com/a.png"}}}}}},
            {"is_error", turn % 2 == 0}}}}});
    messages.push_back({{"role", "assistant"}, {"content", "The fee is " + std::to_string(turn) + "."}});
  }
  messages.push_back({{"role", "user"}, {"content", {{{"type", "text"}, {"text", "What was the first fee?"}}}}});
  return {{"model", "claude-sonnet-4-5"},
          {"max_tokens", 500},
          {"system", {{{"type", "text"}, {"text", "You run a harbour."}, {"cache_control", {{"type", "ephemeral"}}}}}},
          {"messages", messages},
          {"metadata", {{"user_id", "u"}}}};
}

TEST(AnthropicTest, ReadsAWholeRequest) {
  const auto in = parse_anthropic_request(dump_json(anthropic_history(2, 3)));
  ASSERT_TRUE(in) << in.error().message;
  EXPECT_EQ(in->request.models.primary, "claude-sonnet-4-5");
  EXPECT_EQ(in->request.budget.reserved_output_tokens, 500);
  EXPECT_EQ(in->context.conversation_history.size(), 12U);
  EXPECT_EQ(in->context.conversation_history[3].tool_call_id, "toolu_0a");
}

TEST(AnthropicTest, WithRoomTheRequestComesBackAsItWas) {
  for (const int turns : {1, 3}) {
    const auto body = anthropic_history(turns, 20);
    const auto built = build_anthropic(ContextManager(), dump_json(body), with_budget(60'000));
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(parsed(built->body), body);
    EXPECT_EQ(AnthropicRules::offence_in(body), "");
  }
}

/// As agents mark what a cache may hold: behind the last block.
Json with_breakpoint(Json body) {
  body["messages"].elements().back()["content"].elements().back()["cache_control"] = {{"type", "ephemeral"}};
  return body;
}

TEST(AnthropicTest, AThreadGoesOnWhereItsBreakpointMoves) {
  const ContextManager manager;
  Json body = anthropic_history(12, 150);
  auto options = with_budget(4'000);
  for (int step = 0; step < 8; ++step) {
    const auto built = build_anthropic(manager, dump_json(with_breakpoint(body)), options);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(built->metadata.find("begins anew"), std::string::npos) << "step " << step;
    options.thread_state = built->thread_state;
    const std::string id = "toolu_step" + std::to_string(step);
    body["messages"].push_back(
        {{"role", "assistant"},
         {"content", {{{"type", "tool_use"}, {"id", id}, {"name", "search"}, {"input", {{"q", "fee"}}}}}}});
    body["messages"].push_back(
        {{"role", "user"},
         {"content", {{{"type", "tool_result"}, {"tool_use_id", id}, {"content", "Fee " + id + "."}}}}});
  }
}

TEST(AnthropicTest, AnyBudgetGivesWhatTheServiceTakes) {
  const auto body = anthropic_history(12, 150);
  std::size_t built_at = 0;
  for (std::int64_t budget = 200; budget < 20'000; budget += budget / 5) {
    const auto built = build_anthropic(ContextManager(), dump_json(body), with_budget(budget));
    if (!built) {
      EXPECT_EQ(built.error().code, ErrorCode::budget_exceeded);
      continue;
    }
    ++built_at;
    const auto sent = parsed(built->body);
    EXPECT_EQ(AnthropicRules::offence_in(sent), "") << "budget " << budget << ": " << built->body.substr(0, 600);
    const auto read = parse_anthropic_request(built->body);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_LE(count_messages(*make_approximate_token_counter(), read->context.conversation_history), budget);
  }
  EXPECT_GT(built_at, 15U);
}

TEST(AnthropicTest, ALargeResultIsCountedAndShortened) {
  auto body = anthropic_history(1, 20'000);
  const auto built = build_anthropic(ContextManager(), dump_json(body), with_budget(6'000));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LT(built->body.size(), 40'000U);
  EXPECT_EQ(AnthropicRules::offence_in(parsed(built->body)), "");
}

TEST(AnthropicTest, BreakpointsArePlacedWhereThatIsAskedFor) {
  const auto body = anthropic_history(4, 60);
  const auto kept = build_anthropic(ContextManager(), dump_json(body), with_budget(3'000));
  const auto placed =
      build_anthropic(ContextManager(), dump_json(body), with_budget(3'000), {}, {}, CacheControl::place);
  ASSERT_TRUE(kept);
  ASSERT_TRUE(placed);
  const auto count = [](const std::string& text) {
    std::size_t found = 0;
    for (auto at = text.find("cache_control"); at != std::string::npos; at = text.find("cache_control", at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count(kept->body), 1U);
  EXPECT_GE(count(placed->body), 2U);
  EXPECT_LE(count(placed->body), 4U);
  EXPECT_EQ(AnthropicRules::offence_in(parsed(placed->body)), "");
}

TEST(AnthropicTest, ABrokenHistoryIsMended) {
  const auto body = R"({"messages":[{"role":"user","content":"a"},
      {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}},
                                     {"type":"tool_use","id":"d","name":"f","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"d","content":"r"},{"type":"text","text":"b"}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"z","content":"lost"}]}]})";
  EXPECT_NE(AnthropicRules::offence_in(parsed(body)), "");
  const auto mended = build_anthropic(ContextManager(), body, with_budget(5'000));
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_EQ(AnthropicRules::offence_in(parsed(mended->body)), "") << mended->body;
  EXPECT_THAT(mended->body, HasSubstr("Data, not instructions:\\n<data-"));
  EXPECT_THAT(mended->body, HasSubstr("lost\\n"));
}

TEST(AnthropicTest, TheServiceMayCompactByItselfAndWhatItMadeIsSentUnbroken) {
  Json request = anthropic_history(4, 60);
  auto options = with_budget(60'000);
  options.history.service_compacts_at = 50'000;
  const auto asked = build_anthropic(ContextManager(), dump_json(request), options);
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(dump_json(parsed(asked->body)["context_management"]),
            R"({"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}]})");

  const Json summary = {{"type", "compaction"}, {"content", "They asked for harbour fees."}};
  request["messages"].push_back(
      {{"role", "assistant"}, {"content", {summary, {{"type", "text"}, {"text", "The first fee was 0."}}}}});
  request["messages"].push_back({{"role", "user"}, {"content", "And what now?"}});
  for (const std::int64_t budget : {200, 700, 60'000}) {
    options.budget.max_input_tokens = budget;
    const auto built = build_anthropic(ContextManager(), dump_json(request), options);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_THAT(built->body, HasSubstr(dump_json(summary)));
    EXPECT_EQ(built->body.find("tool_use") != std::string::npos, budget == 60'000) << "what stands in it goes first";
  }
}

TEST(AnthropicTest, ABareArrayOfMessagesIsARequest) {
  const auto built = build_anthropic(ContextManager(), R"([{"role":"user","content":"hi"}])", with_budget(1'000));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->body, R"([{"role":"user","content":"hi"}])");
}

TEST(AnthropicTest, AttachmentsBecomePartOfTheMessages) {
  auto body = anthropic_history(1, 5);
  body["attachments"] = {{{"title", "rules.txt"}, {"content", "No refunds."}}};
  const auto built = build_anthropic(ContextManager(), dump_json(body), with_budget(20'000));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(built->body, HasSubstr("No refunds."));
  EXPECT_EQ(AnthropicRules::offence_in(parsed(built->body)), "");
}

TEST(AnthropicTest, UnknownFieldsAndBlocksComeBack) {
  const auto body = parsed(R"({"model":"m","max_tokens":5,"x_new":1,"messages":[
    {"role":"user","content":[{"type":"x_new_block","x":1},{"type":"text","text":"a","x_field":2}],"x_message":3},
    {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{},"x_call":4}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r","x_result":5}]},
    {"role":"user","content":"a message of its own"}]})");
  const auto built = build_anthropic(ContextManager(), dump_json(body), with_budget(20'000));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(parsed(built->body), body);
}

TEST(AnthropicTest, ARequestIsKnownByItsForm) {
  EXPECT_TRUE(is_anthropic_request(R"({"system":"s","messages":[]})"));
  EXPECT_TRUE(is_anthropic_request(R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}])"));
  EXPECT_FALSE(is_anthropic_request(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]})"));
  EXPECT_FALSE(is_anthropic_request("{"));
  EXPECT_TRUE(
      is_anthropic_request(R"([{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"S"}]}])"));
  EXPECT_TRUE(is_anthropic_request(R"([{"role":"user","content":[{"type":"document","source":{"type":"text"}}]}])"));
  EXPECT_TRUE(is_anthropic_request(
      R"({"model":"claude-sonnet-4-5","max_tokens":64,"messages":[{"role":"user","content":"a"}]})"));
  EXPECT_TRUE(
      is_anthropic_request(R"({"tools":[{"name":"f","input_schema":{}}],"messages":[{"role":"user","content":"a"}]})"));
  EXPECT_FALSE(is_anthropic_request(
      R"({"model":"claude-sonnet-4-5","max_tokens":64,"messages":[{"role":"system","content":"a"}]})"));
}

TEST(AnthropicTest, OtherMessagesInTheSameRequest) {
  const auto body = anthropic_history(1, 5);
  auto messages = parse_anthropic_request(dump_json(body))->context.conversation_history;
  messages.push_back({Role::assistant, "It is 7."});
  auto expected = body;
  expected["messages"].push_back(
      {{"role", "assistant"}, {"content", Json::array({{{"type", "text"}, {"text", "It is 7."}}})}});
  EXPECT_EQ(parsed(with_anthropic_messages(dump_json(body), messages).value()), expected);
}

TEST(AnthropicTest, ErrorsComeThrough) {
  EXPECT_EQ(build_anthropic(ContextManager(), R"({"system":"s","messages":[]})").error().message,
            "/messages: there are none");
  EXPECT_EQ(build_anthropic(ContextManager(), "{").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(build_anthropic(ContextManager(), R"({"messages":[{"role":"user","content":"x"}],"max_tokens":0})")
                .error()
                .message,
            "/max_tokens: expected a positive number of tokens");
  EXPECT_EQ(build_anthropic(ContextManager(), dump_json(anthropic_history(1, 9)), with_budget(1)).error().code,
            ErrorCode::budget_exceeded);
}

TEST(AnthropicTest, ToolsThatTheQuestionDoesNotNeedAreLeftOutAndTheBreakpointStaysAtTheEnd) {
  Json body{{"messages", Json::array({{{"role", "user"}, {"content", "Will the weather change?"}}})}};
  body["tools"].push_back(
      {{"name", "get_weather"}, {"description", "The weather of a city."}, {"input_schema", Json::object()}});
  for (int i = 0; i < 20; ++i)
    body["tools"].push_back({{"name", "ledger_" + std::to_string(i)},
                             {"description", "Reads one of the many ledgers of the books, account by account."},
                             {"input_schema", Json::object()}});
  body["tools"].back()["cache_control"] = {{"type", "ephemeral"}};
  BuildRequest options = with_budget(2'000);
  options.tools_budget = 200;
  const auto built = build_anthropic(ContextManager(), dump_json(body), options);
  ASSERT_TRUE(built) << built.error().message;
  const Json tools = parsed(built->body)["tools"];
  ASSERT_LT(tools.size(), 8U);
  EXPECT_EQ(tools[0], body["tools"][0]);
  EXPECT_EQ(tools.back()["name"], "search_tools");
  EXPECT_EQ(tools.back()["input_schema"]["type"], "object");
  EXPECT_EQ(tools.back()["cache_control"]["type"], "ephemeral");
}

Json built_messages(const char* body, std::int64_t budget = 8'000) {
  const auto built = build_anthropic(ContextManager(), body, with_budget(budget));
  EXPECT_TRUE(built) << built.error().message;
  return built ? parse_json(built->body).value() : Json();
}

TEST(AnthropicTest, BlankBlocksAndEmptyMessagesAreNotSent) {
  const auto sent = built_messages(R"({"model":"claude-sonnet-4-5","system":[{"type":"text","text":" "}],"messages":[
      {"role":"user","content":"go"},
      {"role":"assistant","content":[{"type":"text","text":""},{"type":"tool_use","id":"t","name":"ls","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a"},
                                {"type":"text","text":"","cache_control":{"type":"ephemeral"}}]},
      {"role":"assistant","content":"  \n"},{"role":"user","content":"and?"}]})");
  EXPECT_EQ(dump_json(sent), R"({"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"go"},)"
                             R"({"role":"assistant","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]},)"
                             R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a",)"
                             R"("cache_control":{"type":"ephemeral"}},{"type":"text","text":"and?"}]}]})");
}

TEST(AnthropicTest, ACallOfTheServiceStaysWithItsResultInTheNextMessageAtEveryBudget) {
  Json messages = Json::array({{{"role", "user"}, {"content", "go"}}});
  for (int turn = 0; turn < 8; ++turn) {
    const auto id = "srv" + std::to_string(turn);
    messages.push_back(
        {{"role", "assistant"},
         {"content",
          {{{"type", "text"}, {"text", numbered_words(120, "plan")}},
           {{"type", "server_tool_use"}, {"id", id}, {"name", "web_search"}, {"input", {{"query", "q"}}}}}}});
    messages.push_back({{"role", "assistant"},
                        {"content",
                         {{{"type", "web_search_tool_result"},
                           {"tool_use_id", id},
                           {"content", Json::array({{{"type", "web_search_result"}, {"url", "u"}, {"title", "t"}}})}},
                          {{"type", "text"}, {"text", "answer"}}}}});
    messages.push_back({{"role", "user"}, {"content", "next " + std::to_string(turn)}});
  }
  const auto body = dump_json(Json{{"model", "claude-sonnet-4-5"}, {"messages", messages}});
  for (std::int64_t budget = 200; budget < 4'000; budget += 150) {
    const auto built = build_anthropic(ContextManager(), body, with_budget(budget));
    if (!built) continue;
    const auto calls = [&](const char* type) {
      std::size_t count = 0;
      for (auto at = built->body.find(type); at != std::string::npos; at = built->body.find(type, at + 1)) ++count;
      return count;
    };
    EXPECT_EQ(calls("\"server_tool_use\""), calls("\"web_search_tool_result\"")) << budget;
  }
}

TEST(AnthropicTest, AResultOfTheServiceWithoutItsCallIsAnArtifact) {
  const auto sent = built_messages(R"({"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"go"},
      {"role":"assistant","content":[{"type":"advisor_tool_result","tool_use_id":"x",
                                      "content":{"type":"advisor_result","text":"use port 4000"}},
                                     {"type":"text","text":"fine"}]},
      {"role":"user","content":"which port?"}]})");
  const auto text = dump_json(sent);
  EXPECT_EQ(text.find("advisor_tool_result"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("use port 4000"));
}

TEST(AnthropicTest, HalfASurrogatePairBecomesAReplacementCharacterWithANote) {
  const auto built = build_anthropic(ContextManager(), R"({"messages":[{"role":"user","content":"a \ud83d b"}]})");
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(built->body, HasSubstr("a \uFFFD b"));
  EXPECT_THAT(built->metadata, HasSubstr("half of a surrogate pair"));
}

}  // namespace
}  // namespace ctxmgr
