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

}  // namespace
}  // namespace ctxpack::serve::test
