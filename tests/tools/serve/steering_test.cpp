#include <nlohmann/json.hpp>

#include "ctxmgr/core/json_text.hpp"
#include "support/steered_agent.hpp"
#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using ctxmgr::testing::SteeredAgent;
using nlohmann::json;

struct Figures {
  int over = 0;
  int torn = 0;
  int without_list = 0;
  int without_policy = 0;
  int compactions = 0;
};

/// The agent's run through the proxy: what the service gets.
Figures replay(const char* rules) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(
      upstream.url(), ctxmgr::testing::agent_budget, {}, {}, false,
      [rules](ProxyOptions& options) { options.tool_rules = ctxmgr::from_json<ctxmgr::ToolRules>(rules).value(); });
  SteeredAgent agent;
  json messages = json::array();
  std::vector<std::string> lists;
  for (int step = 0; step < ctxmgr::testing::agent_steps; ++step) {
    for (const auto& message : agent.act(step)) messages.push_back(message);
    lists.push_back(agent.list);
    const json request = {{"model", "gpt-5.6"}, {"messages", messages}};
    const auto answer = proxy.post("/v1/chat/completions", request.dump());
    EXPECT_TRUE(answer && answer->status == 200);
  }
  Figures figures;
  const auto requests = posts_of(upstream);
  EXPECT_EQ(requests.size(), lists.size());
  for (std::size_t i = 0; i < std::min(requests.size(), lists.size()); ++i) {
    const auto& body = requests[i].body;
    figures.torn += SteeredAgent::is_torn(json::parse(body)["messages"]) ? 1 : 0;
    figures.without_list += body.find(lists[i]) == std::string::npos ? 1 : 0;
    figures.without_policy += i >= 3 && body.find("POLICY") == std::string::npos ? 1 : 0;
  }
  for (const auto& step : proxy.proxy->ledger().steps()) {
    figures.over += step->receipt.input_tokens_used > ctxmgr::testing::agent_budget ? 1 : 0;
    figures.compactions += step->receipt.compaction ? 1 : 0;
  }
  return figures;
}

TEST(SteeringThreadsTest, TheLatestListIsInEveryRequestOfAnAgentOf60Steps) {
  const auto figures = replay(ctxmgr::testing::agent_rules);
  EXPECT_EQ(figures.over, 0);
  EXPECT_EQ(figures.torn, 0);
  EXPECT_EQ(figures.without_list, 0);
  EXPECT_EQ(figures.without_policy, 0);
  EXPECT_GT(figures.compactions, 1);
}

TEST(SteeringThreadsTest, WithoutTheRulesTheListIsLost) {
  const auto figures = replay(ctxmgr::testing::no_rules);
  EXPECT_GT(figures.without_list, 0);
  EXPECT_GT(figures.without_policy, 0);
}

TEST(SteeringThreadsTest, ThePageShowsACompaction) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 1'000);
  for (int turns = 4; turns < 14; ++turns) (void)proxy.post("/v1/chat/completions", long_conversation(turns));
  const auto list = proxy.client().Get("/");
  ASSERT_TRUE(list);
  const auto link = list->body.find("/?thread=");
  ASSERT_NE(link, std::string::npos);
  const auto page = proxy.client().Get(list->body.substr(link, list->body.find_first_of("&\'", link) - link));
  ASSERT_TRUE(page);
  EXPECT_NE(page->body.find("compacted: "), std::string::npos);
}

/// A model that asks how much is free whenever it is told, and has the conversation compacted.
void frugal(ServerConnection& connection, const ReceivedRequest& request, int) {
  if (request.method == "GET") return connection.reply(200, R"({"data":[]})", {"content-type: application/json"});
  const auto messages = json::parse(request.body)["messages"];
  const auto last = messages.back()["content"].get<std::string>();
  const auto call = [](const char* tool) {
    return json{
        {"role", "assistant"},
        {"content", nullptr},
        {"tool_calls", {{{"id", "c1"}, {"type", "function"}, {"function", {{"name", tool}, {"arguments", "{}"}}}}}}};
  };
  json message = {{"role", "assistant"}, {"content", last}};
  if (last.find("tokens are free") != std::string::npos && messages.back()["role"] == "user")
    message = call("context_remaining");
  if (last.find("tokens are free") != std::string::npos && messages.back()["role"] == "tool")
    message = call("compact_context");
  connection.reply(200, json{{"choices", {{{"message", message}, {"finish_reason", "stop"}}}}}.dump(),
                   {"content-type: application/json"});
}

TEST(SteeringThreadsTest, AModelIsToldItsRoomAndHasTheConversationCompactedOnce) {
  const FaultServer upstream(frugal);
  const RunningProxy proxy(upstream.url(), ctxmgr::testing::agent_budget, {}, {}, false,
                           [](ProxyOptions& options) { options.tells_room = options.answers_context_tools = true; });
  SteeredAgent agent;
  json messages = json::array();
  std::string answers;
  for (int step = 0; step < 30; ++step) {
    for (const auto& message : agent.act(step)) messages.push_back(message);
    const auto answer = proxy.post("/v1/chat/completions", json{{"model", "gpt-5.6"}, {"messages", messages}}.dump());
    ASSERT_TRUE(answer && answer->status == 200);
    answers += answer->body;
  }
  EXPECT_EQ(answers.find("context_remaining"), std::string::npos) << "the agent sees nothing of these calls";
  int told = 0;
  int asked = 0;
  int compacted = 0;
  for (const auto& request : posts_of(upstream)) {
    const auto sent = json::parse(request.body)["messages"];
    const auto last = sent.back();
    told += last["role"] == "user" && last["content"].get<std::string>().find("tokens are free") != std::string::npos
                ? 1
                : 0;
    asked += last["role"] == "tool" && last["content"].get<std::string>().find("tokens are free") != std::string::npos
                 ? 1
                 : 0;
    compacted += last["content"].get<std::string>().find("the conversation is compacted") != std::string::npos ? 1 : 0;
    EXPECT_FALSE(SteeredAgent::is_torn(sent));
  }
  EXPECT_GE(told, 2);
  EXPECT_EQ(asked, told);
  EXPECT_EQ(compacted, told);
  int compactions = 0;
  for (const auto& step : proxy.proxy->ledger().steps()) {
    EXPECT_LE(step->receipt.input_tokens_used, ctxmgr::testing::agent_budget);
    compactions += step->receipt.compaction ? 1 : 0;
  }
  EXPECT_EQ(compactions, told) << "each call compacts once";
}

/// A model that writes into its memory at its first request, and looks at it at the second.
void remembering(ServerConnection& connection, const ReceivedRequest& request, int) {
  if (request.method == "GET") return connection.reply(200, R"({"data":[]})", {"content-type: application/json"});
  const auto messages = json::parse(request.body)["messages"];
  const bool has_read = messages.back()["role"] == "tool";
  const bool writes = request.body.find("Write it down") != std::string::npos;
  const json arguments = writes ? json{{"command", "create"}, {"path", "/memories/a.md"}, {"file_text", "HERON"}}
                                : json{{"command", "view"}, {"path", "/memories/a.md"}};
  const json call = {
      {"id", "c1"}, {"type", "function"}, {"function", {{"name", "memory"}, {"arguments", arguments.dump()}}}};
  const json message = has_read ? json{{"role", "assistant"}, {"content", messages.back()["content"]}}
                                : json{{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}};
  connection.reply(200, json{{"choices", {{{"message", message}, {"finish_reason", "stop"}}}}}.dump(),
                   {"content-type: application/json"});
}

std::string answer_of(const RunningProxy& proxy, const std::string& words, const httplib::Headers& headers) {
  const auto answer = proxy.post("/v1/chat/completions", chat(words), headers);
  return answer ? answer->body : "";
}

void with_memory(ProxyOptions& options) { options.memory_header = "x-user"; }

TEST(SteeringThreadsTest, AMemoryLastsFromOneConversationToTheNextAndIsItsUsers) {
  const FaultServer upstream(remembering);
  const RunningProxy proxy(upstream.url(), 4'000, "token", {}, false, with_memory);
  const auto as = [](const char* user) { return httplib::Headers{{"x-ctxmgr-token", "token"}, {"x-user", user}}; };
  (void)answer_of(proxy, "Write it down.", as("ann"));
  EXPECT_NE(answer_of(proxy, "What was it?", as("ann")).find("HERON"), std::string::npos);
  EXPECT_EQ(answer_of(proxy, "And what was it?", as("bob")).find("HERON"), std::string::npos);
  for (const auto& request : upstream.requests()) EXPECT_EQ(request.headers.count("x-user"), 0U);
}

TEST(SteeringThreadsTest, WithoutATokenTheUserIsWhoHasTheCredentialWhateverAHeaderSays) {
  const FaultServer upstream(remembering);
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, false, with_memory);
  (void)answer_of(proxy, "Write it down.", {{"x-user", "ann"}, {"x-api-key", "one"}});
  EXPECT_NE(answer_of(proxy, "What was it?", {{"x-api-key", "one"}}).find("HERON"), std::string::npos);
  EXPECT_EQ(answer_of(proxy, "So what was it?", {{"x-user", "ann"}, {"x-api-key", "two"}}).find("HERON"),
            std::string::npos);
}

TEST(SteeringThreadsTest, WhatOneUserReadIsInNoRequestOfAnotherWithTheSameKeyAndWords) {
  const FaultServer upstream(remembering);
  const RunningProxy proxy(upstream.url(), 4'000, "token", {}, false, with_memory);
  const auto as = [](const char* user) {
    return httplib::Headers{{"x-ctxmgr-token", "token"}, {"x-user", user}, {"x-api-key", "one key for all"}};
  };
  (void)answer_of(proxy, "Write it down.", as("ann"));
  EXPECT_NE(answer_of(proxy, "What was it?", as("ann")).find("HERON"), std::string::npos);
  const auto before = upstream.requests().size();
  EXPECT_EQ(answer_of(proxy, "What was it?", as("bob")).find("HERON"), std::string::npos);
  const auto requests = upstream.requests();
  for (auto i = before; i < requests.size(); ++i) EXPECT_EQ(requests[i].body.find("HERON"), std::string::npos);
  auto twice = as("bob");
  twice.emplace("x-user", "ann");
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("What was it?"), twice)->status, 400) << "who is it?";
  EXPECT_EQ(proxy.client().Get("/v1/models", as("ann"))->status, 200);
  EXPECT_EQ(upstream.requests().back().headers.count("x-user"), 0U) << "also where a request is sent on as it is";
}

TEST(SteeringThreadsTest, WithoutTheOptionNoModelIsGivenAMemory) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 4'000);
  (void)answer_of(proxy, "Hello.", {{"x-api-key", "one"}});
  EXPECT_EQ(posts_of(upstream).at(0).body.find("memories"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::serve::test
