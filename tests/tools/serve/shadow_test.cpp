#include "serve/shadow.hpp"

#include <nlohmann/json.hpp>

#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::json;

json read_call(const std::string& id, const std::string& path) {
  return {{"role", "assistant"},
          {"content", nullptr},
          {"tool_calls",
           json::array({{{"id", id},
                         {"type", "function"},
                         {"function", {{"name", "read_file"}, {"arguments", json{{"path", path}}.dump()}}}}})}};
}

json result(const std::string& id, const std::string& text) {
  return {{"role", "tool"}, {"tool_call_id", id}, {"content", text}};
}

/// An agent that reads files, and at the end the first one again, of which a path was only in its first result.
std::vector<json> agent(std::size_t files) {
  std::string words;
  for (int i = 0; i < 150; ++i) words += "line " + std::to_string(i) + " of nothing much. ";
  std::vector<json> messages = {{{"role", "system"}, {"content", "Be brief."}},
                                {{"role", "user"}, {"content", "Read the books."}}};
  for (std::size_t i = 0; i < files; ++i) {
    const auto number = std::to_string(i);
    messages.push_back(read_call("c" + number, "books/" + number + ".md"));
    messages.push_back(result("c" + number, i == 0 ? "See archive/hidden_ledger.md. " + words : words));
  }
  messages.push_back(read_call("again", "books/0.md"));
  messages.push_back(result("again", "See it."));
  messages.push_back(read_call("last", "archive/hidden_ledger.md"));
  messages.push_back(result("last", "Empty."));
  return messages;
}

ctxmgr::Result<ctxmgr::ContextUtilizationMetadata> follow(Shadow& shadow, const std::vector<json>& messages,
                                                          std::size_t count) {
  const json body = {{"model", "gpt-5"}, {"messages", std::vector<json>(messages.begin(), messages.begin() + count)}};
  return shadow.follow(Api::openai, body.dump(), "t", {}, {});
}

ShadowOptions options_of(std::int64_t budget) {
  ShadowOptions options;
  options.budget = budget;
  return options;
}

TEST(ShadowTest, ItSaysWhatWouldHaveBeenSavedAndWhatStepsWouldHaveLacked) {
  Shadow shadow(options_of(3'000));
  const auto messages = agent(12);
  std::size_t requests = 0;
  for (std::size_t count = 2; count <= messages.size(); count += 2, ++requests) {
    const auto receipt = follow(shadow, messages, count);
    ASSERT_TRUE(receipt) << receipt.error().message;
    EXPECT_LE(receipt->input_tokens_used, 3'000);
  }
  const auto forecast = shadow.forecast();
  EXPECT_EQ(forecast.requests, static_cast<std::int64_t>(requests));
  EXPECT_EQ(forecast.conversations, 1);
  EXPECT_EQ(forecast.answered, static_cast<std::int64_t>(requests) - 1);
  EXPECT_LT(forecast.fitted.tokens, forecast.everything.tokens);
  EXPECT_EQ(forecast.read_again, 1) << "the first file was left out, and read again";
  EXPECT_EQ(words_of(forecast, 3'000).find("After "), 0U);
  Shadow wide(options_of(100'000));
  for (std::size_t count = 2; count <= messages.size(); count += 2) ASSERT_TRUE(follow(wide, messages, count));
  EXPECT_EQ(wide.forecast().lacking, 0);
  EXPECT_EQ(wide.forecast().read_again, 0);
  EXPECT_EQ(wide.forecast().fitted.tokens, wide.forecast().everything.tokens);
}

TEST(ShadowTest, AConversationWhoseBeginningHasChangedIsAnother) {
  Shadow shadow(options_of(3'000));
  auto messages = agent(3);
  ASSERT_TRUE(follow(shadow, messages, 4));
  messages[3]["content"] = "Another end, as agents that put reminders into it send.";
  ASSERT_TRUE(follow(shadow, messages, 6));
  EXPECT_EQ(shadow.forecast().conversations, 1);
  messages[1]["content"] = "A summary of what was before.";
  ASSERT_TRUE(follow(shadow, messages, 6));
  EXPECT_EQ(shadow.forecast().conversations, 2);
  EXPECT_EQ(shadow.forecast().requests, 3);
}

TEST(ShadowThreadsTest, RequestsGoOnUntouchedAndThePageSaysWhatWouldHaveGone) {
  const FaultServer upstream(answer_ok);
  std::vector<std::string> verdicts;
  const RunningProxy proxy(upstream.url(), 3'000, {}, {}, false, [&verdicts](ProxyOptions& options) {
    auto shadow = options_of(3'000);
    shadow.manager = options.manager;
    shadow.on_verdict = [&verdicts](const std::string& words) { verdicts.push_back(words); };
    options.shadow = std::make_shared<Shadow>(std::move(shadow));
  });
  const auto body = long_conversation(60);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(proxy.post("/v1/chat/completions", body)->status, 200);
  for (const auto& request : upstream.requests()) ASSERT_EQ(request.body, body);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].find("After 50"), 0U);
  EXPECT_NE(proxy.client().Get("/")->body.find("Shadow: requests go on untouched"), std::string::npos);
  EXPECT_LE(proxy.proxy->ledger().steps().back()->receipt.input_tokens_used, 3'000);
  ASSERT_EQ(proxy.post("/v1/chat/completions", "{\"no\": \"request\"}")->status, 200) << "the service says what it is";
}

}  // namespace
}  // namespace ctxpack::serve::test
