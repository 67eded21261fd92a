#include "serve/asking.hpp"

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::json;

/// Refuses the first requests with this answer, and takes those after them.
FaultServer::Handler refusing(int status, const std::string& body, int refusals) {
  const auto posts = std::make_shared<std::atomic<int>>(0);
  return [=](ServerConnection& connection, const ReceivedRequest& request, int) {
    if (request.method == "GET") return connection.reply(404, "{}");  // It does not say what windows its models have.
    const int number = ++*posts;
    if (number > refusals) return answer_ok(connection, request, number);
    connection.reply(status, body, {"content-type: application/json", "x-request-id: refused"});
  };
}

constexpr const char* openai_too_long =
    R"({"error":{"message":"This model's maximum context length is 900 tokens.","code":"context_length_exceeded"}})";
constexpr const char* anthropic_too_long =
    R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1100 tokens > 900 maximum"}})";

TEST(AskingThreadsTest, WhatTheServiceFindsTooLongIsSentOnceMoreWithFourFifths) {
  for (const bool is_anthropic : {false, true}) {
    const FaultServer upstream(refusing(400, is_anthropic ? anthropic_too_long : openai_too_long, 1));
    const RunningProxy proxy(upstream.url(), 1'000);
    const auto answer =
        proxy.post(is_anthropic ? "/v1/messages" : "/v1/chat/completions", long_conversation(60), {{"x-api-key", "k"}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << answer->body;
    EXPECT_EQ(answer->get_header_value("x-request-id"), "up-1");
    const auto requests = posts_of(upstream);
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_LT(requests[1].body.size(), requests[0].body.size());
    EXPECT_EQ(requests[1].headers.at("x-api-key"), "k");
    const auto steps = proxy.proxy->ledger().steps();
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_LE(steps[0]->receipt.input_tokens_used, 800) << "the receipt is that of what was sent last";
  }
}

TEST(AskingThreadsTest, ASecondRefusalComesBackAsItIs) {
  const FaultServer upstream(refusing(400, openai_too_long, 2));
  const RunningProxy proxy(upstream.url(), 1'000);
  const auto answer = proxy.post("/v1/chat/completions", long_conversation(60));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_EQ(answer->body, openai_too_long);
  EXPECT_EQ(answer->get_header_value("x-request-id"), "refused");
  EXPECT_EQ(posts_of(upstream).size(), 2U);
}

TEST(AskingThreadsTest, ARefusalWithNothingLeftToTakeOutOrForAnotherReasonComesBackAtOnce) {
  const FaultServer upstream(refusing(400, openai_too_long, 9));
  const RunningProxy tight(upstream.url(), 24);  // The request takes more than four fifths of it.
  const auto fixed = tight.post("/v1/chat/completions", chat("one two three four five"));
  EXPECT_EQ(fixed->status, 400);
  EXPECT_EQ(fixed->body, openai_too_long);
  EXPECT_EQ(posts_of(upstream).size(), 1U);
  const std::string other = R"({"error":{"message":"Unknown parameter: 'foo'."}})";
  const FaultServer strict(refusing(400, other, 9));
  const RunningProxy proxy(strict.url(), 1'000);
  EXPECT_EQ(proxy.post("/v1/chat/completions", long_conversation(60))->body, other);
  EXPECT_EQ(strict.attempts(), 1);
}

/// A model that reads what stands under the handle in its prompt, then says what it read. Both services, streamed or not.
struct ReadingModel {
  bool is_anthropic = false;
  bool is_streamed = false;
  bool calls_the_agents_tool_too = false;
  int calls = 1;  ///< How often it calls before it answers.

  void operator()(ServerConnection& connection, const ReceivedRequest&, int number) const {
    const bool asks = number <= calls;
    const auto body = asks ? call() : answer();
    connection.reply(200, body,
                     {std::string("content-type: ") + (is_streamed ? "text/event-stream" : "application/json"),
                      "x-request-id: " + std::to_string(number)});
  }

  [[nodiscard]] std::string call() const {
    if (is_anthropic && is_streamed)
      return R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me look."}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"get_context","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"key\":\"no"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"te\"}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":50,"output_tokens":7}}

)";
    if (is_anthropic) {
      json content =
          json::array({{{"type", "text"}, {"text", "Let me look."}},
                       {{"type", "tool_use"}, {"id", "c1"}, {"name", "get_context"}, {"input", {{"key", "note"}}}}});
      if (calls_the_agents_tool_too)
        content.push_back({{"type", "tool_use"}, {"id", "c2"}, {"name", "shell"}, {"input", json::object()}});
      return json{{"role", "assistant"}, {"content", content}, {"usage", {{"input_tokens", 50}, {"output_tokens", 7}}}}
          .dump();
    }
    if (is_streamed)
      return R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Let me look."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_context","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"key\":\"note\"}"}}]}}]}

data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":7}}

data: [DONE]

)";
    const auto function = [](const char* id, const char* name, const char* arguments) {
      return json{{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
    };
    json tool_calls = json::array({function("c1", "get_context", R"({"key":"note"})")});
    if (calls_the_agents_tool_too) tool_calls.push_back(function("c2", "shell", "{}"));
    const json message = {{"role", "assistant"}, {"content", "Let me look."}, {"tool_calls", tool_calls}};
    return json{{"choices", json::array({{{"index", 0}, {"message", message}}})},
                {"usage", {{"prompt_tokens", 50}, {"completion_tokens", 7}}}}
        .dump();
  }

  [[nodiscard]] std::string answer() const {
    if (is_anthropic && is_streamed) return "data: {\"type\":\"message_stop\"}\n\n";
    if (is_anthropic) return R"({"content":[{"type":"text","text":"Berth 7."}],"usage":{"input_tokens":9}})";
    if (is_streamed)
      return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Berth 7.\"}}]}\n\ndata: [DONE]\n\n";
    return R"({"choices":[{"message":{"content":"Berth 7."}}],"usage":{"prompt_tokens":9}})";
  }
};

/// Into the conversation "t".
void write_note(const RunningProxy& proxy) {
  const Threads threads(proxy.store);
  ASSERT_TRUE(threads.session("t")->set("note", "The ship lies at berth 7."));
}

const httplib::Headers in_thread_t = {{"x-ctxmgr-thread", "t"}};

std::string path_of(bool is_anthropic) { return is_anthropic ? "/v1/messages" : "/v1/chat/completions"; }

std::string shell_tool(bool is_anthropic) {
  return is_anthropic ? R"(,"tools":[{"name":"shell","input_schema":{"type":"object"}}])"
                      : R"(,"tools":[{"type":"function","function":{"name":"shell","parameters":{"type":"object"}}}])";
}

TEST(AskingThreadsTest, CallsOfTheContextToolsAreAnsweredHereInEitherFormStreamedOrNot) {
  for (const bool is_anthropic : {false, true}) {
    for (const bool is_streamed : {false, true}) {
      ReadingModel model;
      model.is_anthropic = is_anthropic;
      model.is_streamed = is_streamed;
      const FaultServer upstream(model);
      const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
      write_note(proxy);
      const auto answer = proxy.post(path_of(is_anthropic), chat("Where?", shell_tool(is_anthropic)), in_thread_t);
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->body, model.answer()) << "its bytes as they came";
      EXPECT_EQ(answer->get_header_value("x-request-id"), "2");
      const auto requests = upstream.requests();
      ASSERT_EQ(requests.size(), 2U);
      EXPECT_NE(requests[0].body.find("search_context"), std::string::npos);
      EXPECT_NE(requests[0].body.find("shell"), std::string::npos);
      EXPECT_EQ(requests[0].body.find("berth 7"), std::string::npos);
      const auto messages = json::parse(requests[1].body)["messages"];
      ASSERT_EQ(messages.size(), 4U) << messages;
      EXPECT_NE(messages[2].dump().find("Let me look."), std::string::npos);
      EXPECT_NE(messages[2].dump().find("c1"), std::string::npos);
      EXPECT_NE(messages[3].dump().find("The ship lies at berth 7."), std::string::npos);
      const auto steps = proxy.proxy->ledger().steps();
      ASSERT_EQ(steps.size(), 1U);
      EXPECT_GE(steps[0]->usage.prompt_tokens, 50) << "what the call before used is counted";
    }
  }
}

TEST(AskingThreadsTest, WhatWasReadStaysInTheConversation) {
  for (const bool is_anthropic : {false, true}) {
    ReadingModel model;
    model.is_anthropic = is_anthropic;
    const FaultServer upstream(model);
    const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
    write_note(proxy);
    ASSERT_TRUE(proxy.post(path_of(is_anthropic), chat("Where?"), in_thread_t));
    auto later = json::parse(chat("Where?"));
    later["messages"].push_back({{"role", "assistant"}, {"content", "Berth 7."}});
    later["messages"].push_back({{"role", "user"}, {"content", "And since when?"}});
    ASSERT_TRUE(proxy.post(path_of(is_anthropic), later.dump(), in_thread_t));
    const auto before = json::parse(upstream.requests().at(1).body)["messages"];
    const auto messages = json::parse(upstream.requests().at(2).body)["messages"];
    ASSERT_EQ(messages.size(), before.size() + 2);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(messages[i], before[i]) << "the cache holds";
    EXPECT_EQ(messages[before.size()]["role"], "assistant");
  }
}

TEST(AskingThreadsTest, ToolsThatTakeTheBudgetAreFoundByTheModel) {
  const auto tool = [](const std::string& name, const std::string& description) {
    return json{{"type", "function"},
                {"function", {{"name", name}, {"description", description}, {"parameters", {{"type", "object"}}}}}};
  };
  json request = json::parse(chat("Please go on."));
  request["tools"] = json::array();
  for (int i = 0; i < 60; ++i)
    request["tools"].push_back(
        tool("ledger_" + std::to_string(i),
             "Keeps the books of branch " + std::to_string(i) + ", with all of its accounts and their holders."));
  request["tools"].push_back(tool("moor_ship", "Moors a ship at a berth of the harbour."));
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest& received, int number) {
    if (number > 1) return answer_ok(connection, received, number);
    const json call = {
        {"id", "c1"},
        {"type", "function"},
        {"function", {{"name", "search_tools"}, {"arguments", R"({"query":"moor a ship at a berth"})"}}}};
    const json message = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", json::array({call})}};
    connection.reply(200, json{{"choices", json::array({{{"message", message}}})}}.dump(),
                     {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 1'200);
  const auto answer = proxy.post("/v1/chat/completions", request.dump());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
  ASSERT_EQ(upstream.attempts(), 2);
  const auto first = json::parse(upstream.requests()[0].body)["tools"];
  EXPECT_LT(first.size(), 40U);
  EXPECT_NE(first.dump().find("search_tools"), std::string::npos);
  EXPECT_NE(json::parse(upstream.requests()[1].body)["tools"].dump().find("\"moor_ship\""), std::string::npos);
  for (const auto& step : proxy.proxy->ledger().steps())
    EXPECT_LE(step->receipt.input_tokens_used + step->receipt.tools_tokens, 1'200);
}

TEST(AskingThreadsTest, ToolsGiveWayWhereNoneMayBeCalledOrSeveralAnswersAreWanted) {
  json request = json::parse(chat("Please go on."));
  request["tools"] = json::array();
  for (int i = 0; i < 60; ++i)
    request["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", "ledger_" + std::to_string(i)},
           {"description", "Keeps the books of branch " + std::to_string(i) + ", with all of it."},
           {"parameters", {{"type", "object"}}}}}});
  const json cases = {{"tool_choice", "none"}, {"n", 2}};
  for (const auto& [field, value] : cases.items()) {
    const FaultServer upstream(&answer_ok);
    const RunningProxy proxy(upstream.url(), 1'200);
    auto asked = request;
    asked[field] = value;
    const auto answer = proxy.post("/v1/chat/completions", asked.dump());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << field << answer->body;
    const auto tools = json::parse(posts_of(upstream).at(0).body)["tools"];
    EXPECT_LT(tools.size(), 40U) << field;
    EXPECT_EQ(tools.dump().find("search_tools") != std::string::npos, field == "tool_choice") << field;
  }
}

TEST(AskingThreadsTest, CallsInResponsesAreAnsweredHere) {
  const json call = {{"output", json::array({{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}},
                                             {{"type", "function_call"},
                                              {"call_id", "c1"},
                                              {"name", "get_context"},
                                              {"arguments", R"({"key":"note"})"}}})},
                     {"usage", {{"input_tokens", 50}, {"output_tokens", 7}}}};
  for (const bool is_streamed : {false, true}) {
    const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int number) {
      const json answer = number == 1 ? call : json{{"output", json::array()}};
      connection.reply(200,
                       is_streamed
                           ? "data: " + json{{"type", "response.completed"}, {"response", answer}}.dump() + "\n\n"
                           : answer.dump(),
                       {is_streamed ? "content-type: text/event-stream" : "content-type: application/json"});
    });
    const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
    write_note(proxy);
    const auto answer = proxy.post("/v1/responses", R"({"model":"gpt-4o","input":"Where?"})", in_thread_t);
    ASSERT_TRUE(answer);
    ASSERT_EQ(upstream.attempts(), 2) << answer->body;
    EXPECT_EQ(json::parse(upstream.requests()[0].body)["tools"][0]["type"], "function");
    EXPECT_TRUE(json::parse(upstream.requests()[0].body)["tools"][0].contains("name"));
    const auto input = json::parse(upstream.requests()[1].body)["input"];
    EXPECT_EQ(input[1]["type"], "reasoning");
    EXPECT_EQ(input[2]["call_id"], "c1");
    EXPECT_EQ(input[3]["type"], "function_call_output");
    EXPECT_NE(input[3]["output"].dump().find("berth 7"), std::string::npos);
  }
}

TEST(AskingThreadsTest, CallsOfTheAgentsToolsAreTheAgents) {
  for (const bool is_anthropic : {false, true}) {
    const std::string body =
        is_anthropic
            ? R"({"content":[{"type":"tool_use","id":"c9","name":"shell","input":{}}]})"
            : R"({"choices":[{"message":{"tool_calls":[{"id":"c9","type":"function","function":{"name":"shell","arguments":"{}"}}]}}]})";
    const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int) {
      connection.reply(200, body, {"content-type: application/json"});
    });
    const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
    EXPECT_EQ(proxy.post(path_of(is_anthropic), chat("Where?", shell_tool(is_anthropic)))->body, body);
    EXPECT_EQ(upstream.attempts(), 1);
  }
}

TEST(AskingThreadsTest, CallsOfTheAgentsToolsBesideThoseOfTheProxyAreMadeAgainByTheModel) {
  for (const bool is_anthropic : {false, true}) {
    ReadingModel model;
    model.is_anthropic = is_anthropic;
    model.calls_the_agents_tool_too = true;
    const FaultServer upstream(model);
    const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
    write_note(proxy);
    const auto answer = proxy.post(path_of(is_anthropic), chat("Where?", shell_tool(is_anthropic)), in_thread_t);
    EXPECT_EQ(answer->body, model.answer());
    const auto messages = json::parse(upstream.requests().at(1).body)["messages"];
    EXPECT_EQ(messages.dump().find("c2"), std::string::npos) << "no call without a result";
  }
}

TEST(AskingThreadsTest, AModelThatOnlyReadsIsAskedWithoutTheToolsInTheEnd) {
  ReadingModel model;
  model.calls = 8;
  const FaultServer upstream(model);
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  write_note(proxy);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("Where?"), in_thread_t)->body, model.answer());
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 9U);
  EXPECT_EQ(json::parse(requests[8].body), json::parse(chat("Where?")));
}

TEST(AskingThreadsTest, AnAgentWithAToolOfThatNameKeepsItsOwn) {
  ReadingModel model;
  const FaultServer upstream(model);
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  const std::string own =
      R"(,"tools":[{"type":"function","function":{"name":"get_context","parameters":{"type":"object"}}}])";
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("Where?", own), in_thread_t)->body, model.call());
  ASSERT_EQ(upstream.attempts(), 1);
  EXPECT_EQ(upstream.requests()[0].body.find("search_context"), std::string::npos);
}

TEST(AskingThreadsTest, WithoutTheOptionNoToolIsAdded) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 4'000);
  ASSERT_TRUE(proxy.post("/v1/chat/completions", chat("Where?")));
  EXPECT_EQ(upstream.requests().at(0).body.find("get_context"), std::string::npos);
}

TEST(AskingThreadsTest, WhatIsLeftOutIsReadBackThroughItsHandle) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest& request, int number) {
    std::string handle;
    if (const auto at = request.body.find("artifact:"); at != std::string::npos) handle = request.body.substr(at, 25);
    const json call = {{"id", "c1"},
                       {"type", "function"},
                       {"function", {{"name", "get_context"}, {"arguments", json{{"key", handle}}.dump()}}}};
    const json message = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", json::array({call})}};
    if (number > 1) return answer_ok(connection, request, number);
    connection.reply(200, json{{"choices", json::array({{{"message", message}}})}}.dump(),
                     {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 1'600, {}, {}, true);
  std::string content;
  for (int i = 0; i < 400; ++i) content += "Entry " + std::to_string(i) + " of the tariff. ";
  const auto answer =
      proxy.post("/v1/chat/completions", chat("Which entry?", R"(,"attachments":[{"content":")" + content + R"("}])"));
  ASSERT_EQ(answer->status, 200);
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[0].body.find("artifact:"), std::string::npos);
  const auto messages = json::parse(requests[1].body)["messages"];
  json result;
  for (const auto& message : messages) {
    if (message["role"] == "tool") result = message;
  }
  EXPECT_NE(result.dump().find("Entry 0 of the tariff."), std::string::npos) << requests[1].body;
}

}  // namespace
}  // namespace ctxpack::serve::test
