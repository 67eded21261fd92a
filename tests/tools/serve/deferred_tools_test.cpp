#include "serve/deferred_tools.hpp"

#include "serve/bounded_json.hpp"
#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

std::string tool(const std::string& name, const std::string& more = {}, std::size_t words = 400) {
  std::string description;
  for (std::size_t i = 0; i < words; ++i) description += "word ";
  return R"({"name":")" + name + R"(","description":")" + description + R"(","input_schema":{"type":"object"})" + more +
         "}";
}

std::string request(const std::string& tools) {
  return R"({"model":"claude-sonnet-4-6","max_tokens":9,"messages":[{"role":"user","content":"Go on."}],"tools":[)" +
         tools + "]}";
}

constexpr const char* search = R"({"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"})";

TEST(DeferredToolsThreadsTest, WhatTheServiceKeepsBackDoesNotCountAndIsSentWhereItStood) {
  const FaultServer upstream(&answer_ok);
  const RunningProxy proxy(upstream.url(), 1'200);
  const auto body = request(tool("a", R"(,"defer_loading":true)", 4'000) + "," + tool("b") + "," + search);
  ASSERT_EQ(proxy.post("/v1/messages", body)->status, 200);
  EXPECT_EQ(read_json(posts_of(upstream)[0].body)["tools"], read_json(body)["tools"]);
}

TEST(DeferredToolsThreadsTest, ToolsOverTheirRoomAreMarkedWhereTheServiceHasASearchAndTheListStaysTheSame) {
  const FaultServer upstream(&answer_ok);
  const RunningProxy proxy(upstream.url(), 1'200);
  const auto body = request(tool("a", {}, 900) + "," + tool("b", {}, 900) + "," + search);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(proxy.post("/v1/messages", body)->status, 200);
  const auto sent = read_json(posts_of(upstream)[0].body)["tools"];
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0]["defer_loading"], true);
  EXPECT_EQ(sent[1]["defer_loading"], true);
  EXPECT_FALSE(sent[2].contains("defer_loading"));
  EXPECT_EQ(read_json(posts_of(upstream)[1].body)["tools"], sent);
}

TEST(DeferredToolsThreadsTest, NothingIsMarkedWithoutASearchOrWhereThereIsRoom) {
  EXPECT_FALSE(defer_tools(Api::anthropic, request(tool("a")), 10));
  EXPECT_FALSE(defer_tools(Api::anthropic, request(tool("a") + "," + search), 100'000));
  EXPECT_FALSE(defer_tools(Api::responses, R"({"input":"tool_search","tools":7})", 1));
  EXPECT_TRUE(has_deferred_tools(request(tool("a", R"(,"defer_loading":true)"))));
  EXPECT_FALSE(has_deferred_tools(request(tool("a", R"(,"defer_loading":false)"))));
}

TEST(DeferredToolsThreadsTest, ToolsOfTheProxyStandBehindWhatTheServiceKeepsBack) {
  const FaultServer upstream(&answer_ok);
  const RunningProxy proxy(upstream.url(), 2'000, {}, {}, false,
                           [](ProxyOptions& options) { options.answers_context_tools = true; });
  const auto body = request(tool("a", R"(,"defer_loading":true)", 4'000) + "," + tool("b"));
  ASSERT_EQ(proxy.post("/v1/messages", body)->status, 200);
  const auto sent = read_json(posts_of(upstream)[0].body)["tools"];
  ASSERT_EQ(sent.size(), 6U);
  EXPECT_EQ(sent[0], read_json(body)["tools"][0]);
  EXPECT_EQ(sent[2]["name"], "get_context");
}

}  // namespace
}  // namespace ctxpack::serve::test
