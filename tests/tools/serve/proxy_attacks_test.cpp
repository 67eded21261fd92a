#include <nlohmann/json.hpp>

#include "tools/http/raw_client.hpp"
#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using http::test::answers_in;
using http::test::RawClient;
using nlohmann::json;

std::string post(const std::string& path, const std::string& lines, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + lines +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string attachments_in(const RunningProxy& proxy) {
  const auto keys = proxy.store->list("ctxpack.attachments", {}, {}, 10, {});
  return keys && !keys->empty() ? keys->front().key : std::string();
}

TEST(ProxyAttacksThreadsTest, ARefusedRequestsBodyIsNotARequest) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const std::string hidden = post("/v1/attachments", "", R"({"attachment_id":"mine","content":"stolen"})") +
                             post("/v1/chat/completions", "", chat("hi"));
  for (const std::string& bytes :
       {post("/v1/chat/completions", "Origin: https://evil.example\r\n", hidden), post("/v1/lost/../x", "", hidden),
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(hidden.size()) + "\r\n\r\n" + hidden,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: "
        "chunked\r\n\r\n" +
            hidden,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2x\r\n\r\n" + hidden}) {
    const RawClient client(proxy.port);
    ASSERT_TRUE(client.send(bytes));
    EXPECT_EQ(answers_in(client.read_all()), 1U) << bytes;
  }
  EXPECT_EQ(attachments_in(proxy), "");
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyAttacksThreadsTest, ARefusedRequestDoesNotUseTheTokenOfTheNext) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), {}, "open sesame");
  const RawClient client(proxy.port);
  const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 400\r\n\r\n";
  ASSERT_TRUE(client.send(head + post("/v1/chat/completions", "x-ctxmgr-token: open sesame\r\n", chat("hi"))));
  EXPECT_EQ(answers_in(client.read_all()), 1U);
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyAttacksThreadsTest, DeepJsonOfAClientOrAServiceIsAnErrorOrPassedOn) {
  constexpr std::size_t levels = 200'000;
  const auto deep = std::string(levels, '[') + std::string(levels, ']');
  const std::string answer = R"({"choices":[{"message":{"tool_calls":)" + deep + "}}],\"usage\":" + deep + "}";
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int number) {
    const bool streams = number % 2 == 0;
    connection.reply(200, streams ? "data: " + answer + "\n\n" : answer,
                     {streams ? "content-type: text/event-stream" : "content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  for (const char* path : {"/v1/chat/completions", "/v1/messages", "/v1/responses"}) {
    const auto refused = proxy.post(path, R"({"model":"gpt-4o","tools":)" + deep + "}");
    ASSERT_TRUE(refused) << path;
    EXPECT_EQ(refused->status, 400);
  }
  for (int i = 0; i < 2; ++i) {
    const auto passed = proxy.post("/v1/chat/completions", chat("hi"));
    ASSERT_TRUE(passed);
    EXPECT_NE(passed->body.find(deep), std::string::npos);
  }
}

TEST(ProxyAttacksThreadsTest, TwoUsersWithTheSameWordsShareNothing) {
  std::string seen;
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest& request, int number) {
    seen = request.body;
    // A's model keeps a number, B's looks for it.
    const json call = {{"id", "c"},
                       {"type", "function"},
                       {"function",
                        {{"name", number == 1 ? "set_context" : "get_context"},
                         {"arguments", number == 1 ? R"({"key":"pin","value":"4711"})" : R"({"key":"pin"})"}}}};
    if (number == 2 || number == 4) return answer_ok(connection, request, number);
    connection.reply(
        200,
        json{{"choices",
              json::array(
                  {{{"message", {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", json::array({call})}}}}})}}
            .dump(),
        {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  ASSERT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 200);
  EXPECT_NE(seen.find("set_context is refused"), std::string::npos);
  ASSERT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 200);
  EXPECT_EQ(upstream.attempts(), 4);
  const auto messages = json::parse(seen)["messages"];
  EXPECT_EQ(messages.back()["content"].get<std::string>().find("4711"), std::string::npos);
}

TEST(ProxyAttacksThreadsTest, ANamedThreadItsReceiptsAndAttachmentsAreOfOneCredential) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  const httplib::Headers a = {{"x-ctxmgr-thread", "mine"}, {"Authorization", std::string("Bearer ") + canary_key}};
  const httplib::Headers b = {{"x-ctxmgr-thread", "mine"}, {"Authorization", "Bearer other"}};
  const auto of_a = proxy.post("/v1/chat/completions", chat("hi"), a);
  const auto of_b = proxy.post("/v1/chat/completions", chat("hi"), b);
  EXPECT_EQ(of_a->get_header_value("x-ctxmgr-thread"), "mine");
  EXPECT_NE(of_a->get_header_value("x-ctxmgr-session"), of_b->get_header_value("x-ctxmgr-session"));
  const auto path = "/v1/receipts/" + of_a->get_header_value("x-ctxmgr-receipt-id");
  EXPECT_EQ(proxy.client().Get(path, a)->status, 200);
  EXPECT_EQ(proxy.client().Get(path, b)->status, 404);
  EXPECT_EQ(proxy.client().Get(path)->status, 404);
  ASSERT_EQ(proxy.post("/v1/attachments", R"({"attachment_id":"x","content":"secret"})", a)->status, 200);
  const auto asks = chat("hi", R"(,"attachments":[{"attachment_id":"x"}])");
  EXPECT_EQ(proxy.post("/v1/chat/completions", asks, b)->status, 404);
  EXPECT_EQ(proxy.post("/v1/chat/completions", asks, a)->status, 200);
  EXPECT_EQ(proxy.all_that_is_stored().find(canary_key), std::string::npos);
  const auto page = proxy.client().Get("/")->body;
  EXPECT_EQ(page.find("mine"), std::string::npos) << "several keys: nobody sees all";
  const auto address = of_a->get_header_value("x-ctxmgr-page");
  const auto list = proxy.client().Get(address)->body;
  EXPECT_NE(list.find("mine"), std::string::npos);
  EXPECT_NE(list.find(">1 conversation<"), std::string::npos);
  const auto own = proxy.client().Get(address + "&thread=mine")->body;
  EXPECT_NE(own.find(of_a->get_header_value("x-ctxmgr-receipt-id")), std::string::npos);
  EXPECT_EQ(own.find(of_b->get_header_value("x-ctxmgr-receipt-id")), std::string::npos);
}

TEST(ProxyAttacksThreadsTest, TheLogHasNeitherKeysNorContent) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const httplib::Headers headers = {{"Authorization", std::string("Bearer ") + canary_key}, {"x-request-id", "req-9"}};
  ASSERT_TRUE(proxy.post("/v1/chat/completions", chat("a secret word"), headers));
  ASSERT_TRUE(proxy.client().Get("/v1/models", headers));
  const auto log = proxy.log();
  EXPECT_EQ(log.find(canary_key), std::string::npos);
  EXPECT_EQ(log.find("secret word"), std::string::npos);
  const auto line = json::parse(log.substr(0, log.find('\n')));
  EXPECT_EQ(line["request_id"], "req-9");
  EXPECT_EQ(line["status"], 200);
  EXPECT_GT(line["input_tokens"], 0);
  EXPECT_EQ(upstream.requests().at(0).headers.at("x-request-id"), "req-9");
}

TEST(ProxyAttacksThreadsTest, PathsDoNotLeaveTheServicesBase) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url() + "/v1");
  for (const char* path : {"/v1/models/../../admin", "/v1/models/%2e%2e/%2e%2e/admin", "/v1/models/..%2f..%2fadmin"}) {
    const RawClient client(proxy.port);
    ASSERT_TRUE(client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"));
    EXPECT_NE(client.read_all().find("HTTP/1.1 400"), std::string::npos) << path;
  }
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyAttacksThreadsTest, WhatAConnectionNamesStaysOnItBothWays) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, "{}", {"content-type: application/json", "connection: x-inner", "x-inner: secret"});
  });
  const RunningProxy proxy(upstream.url());
  const auto answer =
      proxy.client().Get("/v1/models", {{"Connection", "keep-alive, X-Outer"}, {"X-Outer", "1"}, {"X-Other", "2"}});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->has_header("x-inner"));
  EXPECT_EQ(upstream.requests()[0].headers.count("x-outer"), 0U);
  EXPECT_EQ(upstream.requests()[0].headers.count("x-other"), 1U);
}

TEST(ProxyAttacksThreadsTest, AServiceThatSpeaksNoHttpIsABadGateway) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("220 mail.example ESMTP\r\n");
    connection.close();
  });
  const RunningProxy proxy(upstream.url());
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 502);
  EXPECT_EQ(proxy.client().Get("/v1/models")->status, 502);
}

TEST(ProxyAttacksThreadsTest, FiguresThatNoServiceCountsDoNotRunOver) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}})",
                     {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 200);
  EXPECT_EQ(proxy.client().Get("/metrics")->body.find(" -"), std::string::npos);
  EXPECT_EQ(proxy.proxy->ledger().totals().output_tokens, 0);
}

TEST(ProxyAttacksThreadsTest, ARequestThatMayCallNothingGetsNoTools) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 4'000, {}, {}, true);
  ASSERT_TRUE(proxy.post("/v1/chat/completions", chat("hi", R"(,"tool_choice":"none")")));
  ASSERT_TRUE(proxy.post("/v1/messages", chat("hi", R"(,"tool_choice":{"type":"none"})")));
  for (const auto& request : upstream.requests()) EXPECT_EQ(request.body.find("get_context"), std::string::npos);
}

TEST(ProxyAttacksThreadsTest, ABodyNeedsNoContentTypeAndNoLength) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto form =
      proxy.client().Post("/v1/chat/completions", chat(std::string(20'000, 'x')), "application/x-www-form-urlencoded");
  ASSERT_TRUE(form);
  EXPECT_EQ(form->status, 200);
  const RawClient client(proxy.port);
  std::string chunks = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 40; ++i) chunks += "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  static_cast<void>(client.send(chunks));
  EXPECT_NE(client.read_until("413").find("HTTP/1.1 413"), std::string::npos);
}

TEST(ProxyAttacksThreadsTest, WhatIsRefusedSaysWhichRequestItWas) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 5);
  for (const char* path : {"/v1/chat/completions", "/v1/messages", "/v1/responses"}) {
    const auto refused = proxy.post(path, path == std::string("/v1/responses")
                                              ? R"({"model":"gpt-4o","input":"one two three four five six"})"
                                              : chat("hi"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400) << refused->body;
    EXPECT_NE(refused->get_header_value("x-ctxmgr-thread"), "");
    EXPECT_EQ(proxy.client().Get("/v1/receipts/" + refused->get_header_value("x-ctxmgr-receipt-id"))->status, 200);
  }
}

constexpr const char* token_as_password = "Basic dXNlcjpvcGVuIHNlc2FtZQ==";  // user:open sesame

TEST(ProxyAttacksThreadsTest, TheTokenNeverReachesTheServiceOnAnyPathOrInAnyHeader) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), {}, "open sesame");
  for (const char* path : {"/api/tags", "/v2/rerank", "/anything", "/v1/models", "//v1/models"}) {
    const auto answer = proxy.client().Get(path, {{"Authorization", token_as_password}});
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 403) << path << ": a password is for the pages";
    EXPECT_EQ(answer->get_header_value("www-authenticate"), "") << path;
  }
  EXPECT_EQ(proxy.client().Get("/", {{"Authorization", token_as_password}})->status, 200);
  EXPECT_EQ(proxy.client().Get("/metrics")->status, 401);
  EXPECT_EQ(upstream.attempts(), 0);
  for (const char* value : {token_as_password, "Bearer open sesame", "open sesame"}) {
    const httplib::Headers headers = {
        {"x-ctxmgr-token", "open sesame"}, {"Authorization", value}, {"x-api-key", "k"}, {"x-other", value}};
    ASSERT_EQ(proxy.client().Get("/api/tags", headers)->status, 200);
    ASSERT_EQ(proxy.post("/v1/chat/completions", chat("hi"), headers)->status, 200);
  }
  ASSERT_EQ(proxy.client().Get("/readyz", {{"Authorization", token_as_password}})->status, 200);
  for (const auto& request : upstream.requests()) {
    for (const auto& [name, value] : request.headers) {
      EXPECT_EQ(value.find("open sesame"), std::string::npos) << request.path << " " << name;
      EXPECT_EQ(value.find("b3BlbiBzZXNhbWU"), std::string::npos) << request.path << " " << name;
      EXPECT_EQ(value.find("dXNlcjpvcGVu"), std::string::npos) << request.path << " " << name;
    }
  }
}

TEST(ProxyAttacksThreadsTest, AFormOfAnotherSiteIsNotSentWithThePasswordThatTheBrowserKnows) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), {}, "open sesame");
  for (const char* path : {"/", "/anything", "/v1/chat/completions", "/v1/attachments", "/metrics"}) {
    const auto form =
        proxy.client().Post(path, {{"Authorization", token_as_password}, {"Origin", "https://evil.example"}},
                            chat("hi"), "application/x-www-form-urlencoded");
    ASSERT_TRUE(form) << path;
    EXPECT_GE(form->status, 401) << path;
  }
  const httplib::Headers with_token = {{"x-ctxmgr-token", "open sesame"}, {"Origin", "https://evil.example"}};
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), with_token)->status, 403);
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyAttacksThreadsTest, HeadersOfTheProxyAreItsOwnWhateverTheServiceSends) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, "{}",
                     {"content-type: application/json", "x-ctxmgr-thread: forged", "X-Ctxmgr-Page: /?owner=forged"});
  });
  const RunningProxy proxy(upstream.url());
  const auto fitted = proxy.post("/v1/chat/completions", chat("hi"), {{"x-api-key", "k"}});
  EXPECT_EQ(fitted->get_header_value_count("x-ctxmgr-thread"), 1U);
  EXPECT_EQ(fitted->get_header_value("x-ctxmgr-thread").find("forged"), std::string::npos);
  EXPECT_EQ(fitted->get_header_value_count("x-ctxmgr-page"), 1U);
  EXPECT_FALSE(proxy.client().Get("/v1/models")->has_header("x-ctxmgr-thread"));
}

TEST(ProxyAttacksThreadsTest, AHeadOfTheServiceThatIsTooLargeIsABadGateway) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    std::string head = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n";
    for (int i = 0; i < 90; ++i) head += "x-" + std::to_string(i) + ": " + std::string(8'000, 'x') + "\r\n";
    connection.send(head + "\r\n{}");
  });
  const RunningProxy proxy(upstream.url());
  EXPECT_EQ(proxy.client().Get("/v1/models")->status, 502);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 502);
}

TEST(ProxyAttacksThreadsTest, OneOwnersRequestsDoNotChangeWhatAnotherMaySend) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"output":[],"usage":{"input_tokens":900000}})", {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url(), 4'000);
  const auto room = [&proxy](const char* key) {
    EXPECT_EQ(proxy.post("/v1/chat/completions", long_conversation(9), {{"x-api-key", key}})->status, 200);
    return proxy.proxy->ledger().steps().back()->receipt.messages_limit;
  };
  std::string words;
  for (int i = 0; i < 300; ++i) words += "entry " + std::to_string(i) + " ";
  const auto goes_on = R"({"model":"gpt-4o","previous_response_id":"r","input":")" + words + "\"}";
  for (int i = 0; i < 3; ++i) ASSERT_EQ(proxy.post("/v1/responses", goes_on, {{"x-api-key", "bob"}})->status, 200);
  EXPECT_EQ(room("bob"), 4'000) << "what the service keeps was counted, too: that says nothing";
  EXPECT_LT(room("bob"), 4'000) << "this request carried all of its input";
  EXPECT_EQ(room("ann"), 4'000);
}

}  // namespace
}  // namespace ctxpack::serve::test
