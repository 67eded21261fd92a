#include "serve/windows.hpp"

#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

TEST(WindowsThreadsTest, AListOfModelsSaysItInTheWordsOfItsService) {
  EXPECT_EQ(window_in_models(R"({"data":[{"id":"a"},{"id":"m","max_model_len":8192}]})", "m").window, 8192);
  EXPECT_EQ(window_in_models(R"({"data":[{"id":"m","context_length":131072}]})", "m").window, 131072);
  EXPECT_EQ(window_in_models(R"({"data":[{"id":"m","context_window":32768}]})", "m").window, 32768);
  EXPECT_EQ(window_in_models(R"({"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx":4096}}]})", "m").window,
            4096);
  for (const char* const none :
       {R"({"data":[{"id":"m"}]})", R"({"data":[{"id":"other","max_model_len":9}]})", "[]", "",
        R"({"data":[{"id":"m","max_model_len":-4}]})", R"({"data":[{"id":"m","max_model_len":1e300}]})",
        R"({"data":[{"id":"m","max_model_len":"8192"}]})"})
    EXPECT_FALSE(window_in_models(none, "m").window) << none;
}

TEST(WindowsThreadsTest, WhatAModelWasStartedWithGoesBeforeWhatItCould) {
  EXPECT_EQ(window_in_props(R"({"default_generation_settings":{"n_ctx":4096}})"), 4096);
  EXPECT_EQ(window_in_show(R"({"model_info":{"llama.context_length":131072}})"), 131072);
  EXPECT_EQ(
      window_in_show(R"({"parameters":"stop  \"x\"\nnum_ctx    4096","model_info":{"llama.context_length":131072}})"),
      4096);
  EXPECT_FALSE(window_in_show(R"({"parameters":"num_ctx many"})"));
}

/// Lists one model, and says that what is longer than its window is.
void serve_small_model(ServerConnection& connection, const ReceivedRequest& request, int) {
  if (request.path == "/v1/models")
    return connection.reply(
        200, R"({"data":[{"id":"own-model","max_model_len":2000},{"id":"gpt-4o","max_model_len":2000}]})",
        {"content-type: application/json"});
  if (request.body.size() > 8'000)
    return connection.reply(400, R"({"error":{"message":"too long","code":"context_length_exceeded"}})",
                            {"content-type: application/json"});
  connection.reply(200, R"({"choices":[{"message":{"content":"hello"}}]})", {"content-type: application/json"});
}

TEST(WindowsThreadsTest, AModelThatTheCatalogueDoesNotKnowIsAskedForOnce) {
  const FaultServer upstream(serve_small_model);
  const RunningProxy proxy(upstream.url());
  auto body = long_conversation(60);
  body.replace(body.find("gpt-4o"), 6, "own-model");
  for (int i = 0; i < 3; ++i) {
    const auto answer = proxy.post("/v1/chat/completions", body, {{"authorization", "Bearer k"}});
    ASSERT_EQ(answer->status, 200) << answer->body;
  }
  ASSERT_EQ(upstream.requests().size(), 4U);
  EXPECT_EQ(upstream.requests()[0].headers.at("authorization"), "Bearer k");
  EXPECT_LE(proxy.proxy->ledger().steps().back()->receipt.input_tokens_used, 1'500);
}

TEST(WindowsThreadsTest, AModelThatIsRefusedIsAskedForItsWindowAndNotRefusedAgain) {
  for (const bool has_budget : {false, true}) {
    const FaultServer upstream(serve_small_model);
    const RunningProxy proxy(upstream.url(), has_budget ? std::optional<std::int64_t>(6'000) : std::nullopt);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(proxy.post("/v1/chat/completions", long_conversation(60))->status, 200);
    EXPECT_EQ(posts_of(upstream).size(), 4U) << "only the first was refused";
  }
}

TEST(WindowsThreadsTest, ARefusalNamesTheWindowInTheWordsOfItsService) {
  EXPECT_EQ(window_in_refusal(R"({"error":{"message":"exceeds the available context size","n_ctx":2048}})"), 2048);
  EXPECT_EQ(window_in_refusal("This model's maximum context length is 4096 tokens. However, you requested 9000"), 4096);
  EXPECT_EQ(window_in_refusal("prompt is too long: 210000 tokens > 200000 maximum"), 200'000);
  EXPECT_EQ(window_in_refusal("exceeds the maximum number of tokens allowed (1048576)."), 1'048'576);
  for (const char* const none : {"", "too long", "maximum context length is unknown", "5 > x maximum", "the maximum"})
    EXPECT_FALSE(window_in_refusal(none)) << none;
}

/// Refuses what is longer than 2 000 tokens or so, and says what its window is, but lists no models.
void refuse_and_say(ServerConnection& connection, const ReceivedRequest& request, int) {
  if (request.method == "GET") return connection.reply(404, "{}");
  if (request.body.size() > 8'000 || request.body.find("1000000000") != std::string::npos)
    return connection.reply(400, R"({"error":{"message":"This model's maximum context length is 2048 tokens."}})",
                            {"content-type: application/json"});
  connection.reply(200, R"({"choices":[{"message":{"content":"hello"}}]})", {"content-type: application/json"});
}

TEST(WindowsThreadsTest, ARefusalTeachesTheWindowThatItNames) {
  const FaultServer upstream(refuse_and_say);
  const RunningProxy proxy(upstream.url(), 6'000);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(proxy.post("/v1/chat/completions", long_conversation(60))->status, 200);
  EXPECT_EQ(posts_of(upstream).size(), 4U) << "only the first was refused";
}

TEST(WindowsThreadsTest, AnAnswerThatIsAskedToBeTooLongCostsNobodyTheBudget) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest& request, int number) {
    if (request.body.find("1000000000") == std::string::npos) return answer_ok(connection, request, number);
    connection.reply(400, R"({"error":{"message":"maximum context length is 128000 tokens. However, you requested"}})",
                     {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 6'000);
  const auto greedy = chat("hi", R"(,"max_tokens":1000000000)");
  for (int i = 0; i < 9; ++i)
    ASSERT_EQ(proxy.post("/v1/chat/completions", greedy, {{"x-api-key", "bob"}})->status, 400);
  EXPECT_EQ(posts_of(upstream).size(), 9U) << "less input does not help, so nothing is sent twice";
  for (const char* const key : {"bob", "ann"}) {
    ASSERT_EQ(proxy.post("/v1/chat/completions", long_conversation(60), {{"x-api-key", key}})->status, 200);
    EXPECT_EQ(proxy.proxy->ledger().steps().back()->receipt.messages_limit, 6'000) << key;
  }
}

/// An Ollama with a window of 4 096, of which its list of models says nothing.
class Ollama {
 public:
  [[nodiscard]] FaultServer::Handler handler() {
    return [this](ServerConnection& connection, const ReceivedRequest& request, int) {
      const std::vector<std::string> json = {"content-type: application/json"};
      if (request.path == "/v1/models")
        return connection.reply(200, R"({"data":[{"id":"own:latest","owned_by":"library"}]})", json);
      if (request.path == "/api/ps")
        return connection.reply(
            200, is_loaded ? R"({"models":[{"name":"own:latest","context_length":4096}]})" : R"({"models":[]})", json);
      if (request.path == "/api/show")
        return connection.reply(200, R"({"model_info":{"qwen2.context_length":32768}})", json);
      is_loaded = true;
      connection.reply(200, R"({"choices":[{"message":{"content":"hello"}}],"usage":{"prompt_tokens":2050}})", json);
    };
  }
  std::atomic<bool> is_loaded{false};
};

TEST(WindowsThreadsTest, OllamaIsAskedWhatItHasLoaded) {
  for (const bool has_budget : {false, true}) {
    Ollama ollama;
    const FaultServer upstream(ollama.handler());
    const RunningProxy proxy(upstream.url(), has_budget ? std::optional<std::int64_t>(8'000) : std::nullopt);
    auto body = long_conversation(60);
    body.replace(body.find("gpt-4o"), 6, "own");
    for (int i = 0; i < 3; ++i) ASSERT_EQ(proxy.post("/v1/chat/completions", body)->status, 200);
    const auto steps = proxy.proxy->ledger().steps();
    ASSERT_FALSE(steps.front()->receipt.notes.empty());
    EXPECT_NE(steps.front()->receipt.notes.back().find("it may have cut the request"), std::string::npos);
    EXPECT_LE(steps[1]->receipt.input_tokens_used, 3'072);
    EXPECT_LE(steps[2]->receipt.input_tokens_used, 3'072);
  }
}

}  // namespace
}  // namespace ctxpack::serve::test
