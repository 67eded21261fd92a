#include "serve/proxy.hpp"

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tools/serve/proxy_fixture.hpp"

namespace ctxpack::serve::test {
namespace {

using nlohmann::json;

TEST(ProxyThreadsTest, AnAnswerComesBackAsItIs) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto answer = proxy.post("/v1/chat/completions", chat("hi"), {{"Authorization", "Bearer k"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, R"({"choices":[{"message":{"content":"hello"}}],"usage":{"prompt_tokens":9}})");
  EXPECT_EQ(answer->get_header_value("x-request-id"), "up-1");
  EXPECT_EQ(answer->get_header_value("content-type"), "application/json");
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path, "/v1/chat/completions");
  EXPECT_EQ(requests[0].headers.at("authorization"), "Bearer k");
  EXPECT_EQ(json::parse(requests[0].body), json::parse(chat("hi")));
}

TEST(ProxyThreadsTest, AStreamComesPieceByPiece) {
  std::atomic<bool> first_was_read{false};
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    connection.send("9\r\ndata: 1\n\n\r\n");
    while (!first_was_read) std::this_thread::yield();
    connection.send("9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  });
  const RunningProxy proxy(upstream.url());
  httplib::Request request;
  request.method = "POST";
  request.path = "/v1/chat/completions";
  request.body = chat("hi", R"(,"stream":true)");
  request.headers = {{"Content-Type", "application/json"}};
  std::string stream;
  request.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t, std::uint64_t) {
    stream.append(bytes, size);
    first_was_read = true;
    return true;
  };
  const auto answer = proxy.client().send(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->get_header_value("content-type"), "text/event-stream");
  EXPECT_EQ(stream, "data: 1\n\ndata: 2\n\n");
}

TEST(ProxyThreadsTest, ARequestIsFittedIntoTheBudgetInEitherForm) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 1'000);
  ASSERT_EQ(proxy.post("/v1/chat/completions", long_conversation(60))->status, 200);
  ASSERT_EQ(proxy.post("/v1/messages?beta=true", long_conversation(60), {{"anthropic-version", "2023-06-01"}})->status,
            200);
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].path, "/v1/messages?beta=true");
  for (const auto& step : proxy.proxy->ledger().steps()) {
    EXPECT_LE(step->receipt.input_tokens_used, 1'000);
    EXPECT_GT(step->receipt.messages_excluded, 0U);
  }
  for (const auto& request : requests) {
    EXPECT_LT(request.body.size(), 6'000U);
    EXPECT_NE(request.body.find("entry 5900"), std::string::npos);  // What was said last.
  }
}

TEST(ProxyThreadsTest, WhatCannotFitIsSaidInTheServicesForm) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 5);
  const auto openai = proxy.post("/v1/chat/completions", chat("hi"));
  EXPECT_EQ(openai->status, 400);
  EXPECT_EQ(json::parse(openai->body)["error"]["code"], "context_length_exceeded");
  const auto anthropic = proxy.post("/v1/messages", chat("hi"));
  EXPECT_EQ(anthropic->status, 400);
  EXPECT_EQ(json::parse(anthropic->body)["type"], "error");
  EXPECT_EQ(json::parse(anthropic->body)["error"]["type"], "invalid_request_error");
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyThreadsTest, AQuestionThatIsLargerThanTheBudgetIsNotShortened) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 1'000);
  const auto answer = proxy.post("/v1/chat/completions", chat(std::string(20'000, 'x')));
  EXPECT_EQ(answer->status, 400);
  EXPECT_EQ(json::parse(answer->body)["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyThreadsTest, ThreadsAreKnownByHeaderOrByHowTheyBegin) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto first = proxy.post("/v1/chat/completions", long_conversation(1))->get_header_value("x-ctxmgr-thread");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(proxy.post("/v1/chat/completions", long_conversation(3))->get_header_value("x-ctxmgr-thread"), first);
  EXPECT_NE(proxy.post("/v1/chat/completions", chat("hi"))->get_header_value("x-ctxmgr-thread"), first);
  const auto named = proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-thread", "mine"}});
  EXPECT_EQ(named->get_header_value("x-ctxmgr-thread"), "mine");
  const auto state = proxy.store->read("ctxpack.threads", {"mine", first}, {});
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->at(0) && state->at(1));
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-thread", "a b"}})->status, 400);
}

TEST(ProxyThreadsTest, HandlesStandOnlyWhereTheAgentCanReadThem) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 500);
  std::string content;
  for (int i = 0; i < 400; ++i) content += "Entry " + std::to_string(i) + " of the tariff. ";
  const std::string attached = R"(,"attachments":[{"content":")" + content + R"("}])";
  const std::string tool =
      R"(,"tools":[{"type":"function","function":{"name":"get_context","parameters":{"type":"object"}}}])";
  ASSERT_EQ(proxy.post("/v1/chat/completions", chat("Which entry?", attached))->status, 200);
  ASSERT_EQ(proxy.post("/v1/chat/completions", chat("Which entry?", attached + tool))->status, 200);
  EXPECT_EQ(upstream.requests()[0].body.find("get_context("), std::string::npos);
  const auto steps = proxy.proxy->ledger().steps();
  EXPECT_EQ(steps.at(0)->receipt.artifacts_processed.at(0).reference, "");
  EXPECT_NE(steps.at(1)->receipt.artifacts_processed.at(0).reference, "");
}

TEST(ProxyThreadsTest, AThreadThatGrowsKeepsItsPrefix) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), 4'000);
  for (const int turns : {12, 13}) ASSERT_EQ(proxy.post("/v1/chat/completions", long_conversation(turns))->status, 200);
  EXPECT_GT(proxy.proxy->ledger().steps().back()->receipt.prefix_tokens_kept, 100);
}

TEST(ProxyThreadsTest, AttachmentsGoByValueAndById) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto stored = proxy.post("/v1/attachments", R"({"title":"tariff","content":"Berth 7 costs 340 crowns."})");
  ASSERT_EQ(stored->status, 200);
  const auto id = json::parse(stored->body)["attachment_id"].get<std::string>();
  const auto by_id = chat("What does berth 7 cost?", R"(,"attachments":[{"attachment_id":")" + id + R"("}])");
  ASSERT_EQ(proxy.post("/v1/chat/completions", by_id)->status, 200);
  const auto by_value = chat("And berth 8?", R"(,"attachments":[{"content":"Berth 8 costs 410 crowns."}])");
  ASSERT_EQ(proxy.post("/v1/chat/completions", by_value)->status, 200);
  const auto requests = upstream.requests();
  EXPECT_NE(requests[0].body.find("340 crowns"), std::string::npos);
  EXPECT_EQ(requests[0].body.find("attachment_id"), std::string::npos);
  EXPECT_NE(requests[1].body.find("410 crowns"), std::string::npos);
  const auto unknown = proxy.post("/v1/chat/completions", chat("hi", R"(,"attachments":[{"attachment_id":"none"}])"));
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(proxy.post("/v1/attachments", R"({"title":"empty"})")->status, 400);
}

TEST(ProxyThreadsTest, TheReceiptComesAsItIsAskedFor) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto field = proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-receipt", "field"}});
  const auto metadata = json::parse(field->body)["metadata"];
  EXPECT_EQ(metadata["usage"]["prompt_tokens"], 9);
  EXPECT_GT(metadata["context_utilization"]["input_tokens_used"], 0);
  EXPECT_EQ(json::parse(field->body)["choices"][0]["message"]["content"], "hello");
  const auto header = proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-receipt", "header"}});
  EXPECT_GT(json::parse(header->get_header_value("x-ctxmgr-receipt"))["input_tokens_used"], 0);
  const auto kept = proxy.client().Get("/v1/receipts/" + header->get_header_value("x-ctxmgr-receipt-id"));
  ASSERT_EQ(kept->status, 200);
  EXPECT_EQ(json::parse(kept->body)["usage"]["prompt_tokens"], 9);
  EXPECT_EQ(proxy.client().Get("/v1/receipts/none")->status, 404);
  const auto asked = posts_of(upstream).size();
  const auto misspelled = proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-receipt", "feild"}});
  EXPECT_EQ(misspelled->status, 400);
  EXPECT_NE(misspelled->body.find("expected \\\"header\\\" or \\\"field\\\""), std::string::npos);
  EXPECT_EQ(posts_of(upstream).size(), asked);
}

TEST(ProxyThreadsTest, KeysAreNeitherStoredNorShown) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int number) {
    connection.reply(number == 1 ? 200 : 401, R"({"error":"no"})", {"content-type: application/json"});
  });
  const RunningProxy proxy(upstream.url());
  const httplib::Headers keys = {{"Authorization", std::string("Bearer ") + canary_key}, {"x-api-key", canary_key}};
  ASSERT_TRUE(proxy.post("/v1/chat/completions", chat("hi"), keys));
  ASSERT_TRUE(proxy.post("/v1/messages", chat("hi"), keys));
  EXPECT_EQ(upstream.requests()[1].headers.at("x-api-key"), canary_key);
  EXPECT_FALSE(proxy.all_that_is_stored().empty());
  for (const std::string& shown :
       {proxy.all_that_is_stored(), proxy.client().Get("/")->body, proxy.client().Get("/metrics")->body})
    EXPECT_EQ(shown.find(canary_key), std::string::npos);
}

TEST(ProxyThreadsTest, TheServicesErrorsComeBackAsTheyAre) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(429, R"({"error":{"message":"slow down"}})", {"content-type: application/json", "retry-after: 3"});
  });
  const RunningProxy proxy(upstream.url());
  const auto answer = proxy.post("/v1/chat/completions", chat("hi"));
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->body, R"({"error":{"message":"slow down"}})");
  EXPECT_EQ(answer->get_header_value("retry-after"), "3");
  EXPECT_EQ(upstream.attempts(), 1);
}

TEST(ProxyThreadsTest, AServiceThatIsNotThereIsABadGatewayInTheServicesForm) {
  const RunningProxy proxy("http://127.0.0.1:1");
  const auto openai = proxy.post("/v1/chat/completions", chat("hi"));
  EXPECT_EQ(openai->status, 502);
  EXPECT_EQ(json::parse(openai->body)["error"]["type"], "api_error");
  const auto anthropic = proxy.post("/v1/messages", chat("hi"));
  EXPECT_EQ(anthropic->status, 502);
  EXPECT_EQ(json::parse(anthropic->body)["type"], "error");
  EXPECT_EQ(proxy.client().Get("/v1/models")->status, 502);
  EXPECT_EQ(proxy.proxy->ledger().totals().in_flight, 0);
}

TEST(ProxyThreadsTest, AnAnswerThatBreaksOffBreaksOffHereToo) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: 1\n\n");
    connection.close();
  });
  const RunningProxy proxy(upstream.url());
  EXPECT_FALSE(proxy.post("/v1/chat/completions", chat("hi")));  // Not an answer that looks whole.
  const auto whole = proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-receipt", "field"}});
  EXPECT_FALSE(whole);
}

TEST(ProxyThreadsTest, AClientThatGoesEndsTheCall) {
  std::atomic<int> arrived{0};
  std::atomic<int> ended{0};
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int number) {
    ++arrived;
    // One that is silent before its answer, one in the middle of it.
    if (number == 2)
      connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    connection.wait_for_end();
    ++ended;
  });
  const RunningProxy proxy(upstream.url());
  for (int i = 0; i < 2; ++i) {
    auto client = proxy.client();
    std::thread call([&client] { EXPECT_FALSE(client.Post("/v1/chat/completions", chat("hi"), "application/json")); });
    for (int j = 0; j < 4'000 && arrived <= i; ++j) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(arrived, i + 1);
    client.stop();
    call.join();
  }
  for (int i = 0; i < 1'000 && ended < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(ended, 2);
  for (int i = 0; i < 1'000 && proxy.proxy->ledger().totals().in_flight > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(proxy.proxy->ledger().totals().in_flight, 0);
}

TEST(ProxyThreadsTest, AHundredStreamsAreNotMixedUp) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest& request, int) {
    const auto words = json::parse(request.body)["messages"].back()["content"].get<std::string>();
    std::string body;
    for (int i = 0; i < 20; ++i) body += "data: " + words + " " + request.headers.at("authorization") + "\n\n";
    connection.reply(200, body, {"content-type: text/event-stream"});
  });
  const RunningProxy proxy(upstream.url());
  std::vector<std::thread> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back([&proxy, name = std::to_string(i)] {
      const auto answer =
          proxy.post("/v1/chat/completions", chat("stream " + name), {{"Authorization", "key-" + name}});
      ASSERT_TRUE(answer) << httplib::to_string(answer.error());
      std::string expected;
      for (int j = 0; j < 20; ++j) expected += "data: stream " + name + " key-" + name + "\n\n";
      EXPECT_EQ(answer->body, expected);
    });
  }
  for (auto& client : clients) client.join();
  const auto totals = proxy.proxy->ledger().totals();
  EXPECT_EQ(totals.in_flight, 0);
  EXPECT_EQ((totals.requests.at({Api::openai, 200})), 100);
}

TEST(ProxyThreadsTest, ForeignPagesAreRefused) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  EXPECT_EQ(proxy.client().Get("/", {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), {{"Origin", "https://evil.example"}})->status, 403);
  EXPECT_EQ(proxy.client().Get("/")->status, 200);
  EXPECT_EQ(upstream.attempts(), 0);
}

TEST(ProxyThreadsTest, ATokenIsAskedForWhereThereIsOne) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url(), {}, "open sesame");
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"))->status, 403);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-token", "open"}})->status, 403);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), {{"x-ctxmgr-token", "open sesame"}})->status, 200);
  EXPECT_EQ(upstream.requests()[0].headers.count("x-ctxmgr-token"), 0U);
  EXPECT_EQ(proxy.client().Get("/")->status, 401);
  auto browser = proxy.client();
  browser.set_basic_auth("any", "open sesame");
  EXPECT_EQ(browser.Get("/")->status, 200);
  EXPECT_EQ(browser.Get("/v1/models")->status, 403);  // That header is for the service.
}

TEST(ProxyThreadsTest, BodiesThatAreTooLargeAndPathsThatAreNotThereAreTypedErrors) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  const auto large = proxy.post("/v1/messages", std::string(std::size_t{2} << 20, 'x'));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 413);
  EXPECT_EQ(json::parse(large->body)["error"]["type"], "request_too_large");
  const auto lost = proxy.post("/v1/receipts/r-1", "{}");
  EXPECT_EQ(lost->status, 404);
  EXPECT_EQ(json::parse(lost->body)["error"]["code"], "not_found");
  const auto broken = proxy.post("/v1/chat/completions", "{\"a");
  EXPECT_EQ(broken->status, 400);
  EXPECT_NE(broken->body.find("line 1"), std::string::npos);
}

TEST(ProxyThreadsTest, ResponsesAreFittedStreamedOrNotAndWhatTheServiceKeepsIsPassedOn) {
  const std::string stream =
      "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":70,"
      "\"input_tokens_details\":{\"cached_tokens\":64},\"output_tokens\":3}}}\n\n";
  const FaultServer upstream([&](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, stream, {"content-type: text/event-stream"});
  });
  const RunningProxy proxy(upstream.url() + "/v1", 1'000);
  json input = json::array({{{"role", "user"}, {"content", "Keep the books."}}});
  for (int i = 0; i < 60; ++i) {
    input.push_back({{"type", "reasoning"},
                     {"id", "rs_" + std::to_string(i)},
                     {"summary", json::array()},
                     {"encrypted_content", "xyz"}});
    input.push_back({{"role", "assistant"}, {"content", "Noted."}});
    std::string words;
    for (int j = 0; j < 60; ++j) words += "entry " + std::to_string(i * 100 + j) + " ";
    input.push_back({{"role", "user"}, {"content", words}});
  }
  const json request = {
      {"model", "gpt-4o"}, {"input", input}, {"stream", true}, {"previous_response_id", "resp_1"}, {"store", false}};
  const auto answer = proxy.post("/v1/responses", request.dump());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(answer->body, stream);
  const auto sent = json::parse(upstream.requests().at(0).body);
  EXPECT_EQ(upstream.requests()[0].path, "/v1/responses");
  EXPECT_EQ(sent["previous_response_id"], "resp_1");
  EXPECT_EQ(sent["store"], false);
  EXPECT_LT(sent["input"].size(), input.size());
  EXPECT_NE(sent["input"].dump().find("entry 5959"), std::string::npos);
  const auto step = proxy.proxy->ledger().steps().at(0);
  EXPECT_LE(step->receipt.input_tokens_used, 1'000);
  EXPECT_EQ(step->usage.prompt_tokens, 70);
  EXPECT_EQ(step->usage.cached_prompt_tokens, 64);
  EXPECT_EQ((proxy.proxy->ledger().totals().requests.at({Api::responses, 200})), 1);
}

TEST(ProxyThreadsTest, EveryOtherPathOfTheServiceIsSentOnWithItsMethod) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest& request, int) {
    connection.reply(request.method == "DELETE" ? 204 : 200, request.method == "DELETE" ? "" : request.body);
  });
  const RunningProxy proxy(upstream.url() + "/v1");
  const std::string form("--b\r\n\0\xFF\r\n--b--", 14);
  const auto file = proxy.client().Post("/v1/files?purpose=batch", form, "multipart/form-data; boundary=b");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->body, form);
  ASSERT_TRUE(proxy.client().Post("/v1/responses/r/cancel", "", "application/json"));
  const auto deleted = proxy.client().Delete("/v1/responses/r");
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->status, 204);
  EXPECT_FALSE(deleted->has_header("transfer-encoding"));
  const auto requests = upstream.requests();
  EXPECT_EQ(requests.at(0).path, "/v1/files?purpose=batch");
  EXPECT_EQ(requests[0].headers.at("content-type"), "multipart/form-data; boundary=b");
  EXPECT_EQ(requests.at(1).method + " " + requests[1].path, "POST /v1/responses/r/cancel");
  EXPECT_EQ(requests.at(2).method, "DELETE");
}

TEST(ProxyThreadsTest, ItSaysWhetherItIsThereAndReady) {
  const FaultServer upstream([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(401, "{}");  // Without a key; it is there.
  });
  const RunningProxy proxy(upstream.url(), {}, "open sesame");
  EXPECT_EQ(proxy.client().Get("/healthz")->status, 200) << "without the token";
  EXPECT_EQ(proxy.client().Get("/readyz")->status, 401);
  const httplib::Headers token = {{"x-ctxmgr-token", "open sesame"}};
  EXPECT_EQ(proxy.client().Get("/readyz", token)->status, 200);
  proxy.proxy->drain();
  EXPECT_EQ(proxy.client().Get("/healthz")->status, 200);
  EXPECT_EQ(proxy.client().Get("/readyz", token)->status, 503);
  EXPECT_EQ(proxy.post("/v1/chat/completions", chat("hi"), token)->status, 503);
  const RunningProxy lonely("http://127.0.0.1:1");
  const auto unready = lonely.client().Get("/readyz");
  EXPECT_EQ(unready->status, 503);
  EXPECT_NE(unready->body.find("service: "), std::string::npos);
}

TEST(ProxyThreadsTest, ThePageAndTheMetricsTellWhatHappened) {
  const FaultServer upstream(answer_ok);
  const RunningProxy proxy(upstream.url());
  EXPECT_NE(proxy.client().Get("/")->body.find("Nothing yet"), std::string::npos);
  ASSERT_TRUE(proxy.post("/v1/chat/completions", chat("hi")));
  const auto page = proxy.client().Get("/");
  EXPECT_EQ(page->body.find("Nothing yet"), std::string::npos);
  const auto link = page->body.find("href='/?thread=");
  ASSERT_NE(link, std::string::npos);
  const auto address = page->body.substr(link + 6, page->body.find('\'', link + 6) - link - 6);
  EXPECT_NE(proxy.client().Get(address)->body.find("all of the conversation is sent"), std::string::npos);
  EXPECT_NE(proxy.client().Get("/?thread=another")->body.find("No such conversation"), std::string::npos);
  EXPECT_NE(page->body.find("<script src=/live.js>"), std::string::npos);
  EXPECT_NE(page->get_header_value("Content-Security-Policy").find("script-src 'self'"), std::string::npos);
  EXPECT_EQ(proxy.client().Get("/?part=main")->body.find("<html"), std::string::npos);
  EXPECT_EQ(proxy.client().Get("/live.js")->status, 200);
  EXPECT_NE(proxy.client().Get("/metrics")->body.find("ctxmgr_requests_total{api=\"openai\",status=\"200\"} 1"),
            std::string::npos);
}

}  // namespace
}  // namespace ctxpack::serve::test
