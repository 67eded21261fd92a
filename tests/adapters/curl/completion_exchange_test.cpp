#include "adapters/curl/completion_exchange.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <thread>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;

struct Streamed {
  std::string text;
  Result<LlmResponse> result;
  int attempts;
};

Streamed stream_from(const FaultServer::Handler& handler) {
  FaultServer server(handler);
  std::string text;
  const auto collect = [&](std::string_view piece) { text += piece; };
  auto result = open_client(options_for(server.url()))->stream(ask("x"), collect, {});
  return {text, std::move(result), server.attempts()};
}

FaultServer::Handler streams(const std::string& bytes) {
  return [bytes](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + bytes);
    connection.close();
  };
}

TEST(CompletionExchangeTest, AStreamThatJustEndsIsNoReply) {
  const auto stream = chat_stream();
  const auto cut = stream_from(streams(stream.substr(0, stream.find("lo\""))));
  EXPECT_EQ(cut.text, "Hel");
  EXPECT_EQ(cut.result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(cut.attempts, 1);
}

struct StreamForm {
  WireFormat format;
  std::string stream;  ///< Whose answer is "Hello".
};

std::vector<StreamForm> whole_streams() {
  return {
      {WireFormat::openai_chat, chat_stream()},
      {WireFormat::anthropic_messages,
       sse({R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}})",
            R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})", R"({"type":"message_stop"})"})},
      {WireFormat::openai_responses,
       sse({R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}]}})"})}};
}

/// What a client makes of a stream of that form from this server.
Result<LlmResponse> answer_of(WireFormat format, const FaultServer::Handler& handler, const CallOptions& call = {}) {
  FaultServer server(handler);
  auto options = options_for(server.url());
  options.wire_format = format;
  options.idle_timeout = milliseconds(5'000);
  return open_client(options)->stream(
      ask("x"), [](std::string_view) {}, call);
}

/// An event stream without a length: its end is the end of the connection.
FaultServer::Handler sends_and_then(const std::string& bytes, std::function<void(ServerConnection&)> end) {
  return [=](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    std::ostringstream size;
    size << std::hex << bytes.size();
    connection.send(size.str() + "\r\n" + bytes + "\r\n");
    end(connection);
  };
}

TEST(CompletionExchangeTest, AWholeAnswerIsNotLostWhenTheConnectionStaysOpen) {
  for (const auto& [format, stream] : whole_streams()) {
    const auto start = std::chrono::steady_clock::now();
    const auto answer =
        answer_of(format, sends_and_then(stream, [](ServerConnection& connection) { connection.wait_for_end(); }));
    ASSERT_TRUE(answer) << static_cast<int>(format) << answer.error().message;
    EXPECT_EQ(text_of(answer->message), "Hello");
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(4'000)) << "waited for the idle timeout";
  }
}

TEST(CompletionExchangeTest, AWholeAnswerIsNotLostWhenTheConnectionBreaks) {
  for (const auto& [format, stream] : whole_streams()) {
    const auto answer =
        answer_of(format, sends_and_then(stream, [](ServerConnection& connection) { connection.reset(); }));
    ASSERT_TRUE(answer) << static_cast<int>(format) << answer.error().message;
    EXPECT_EQ(text_of(answer->message), "Hello");
  }
}

TEST(CompletionExchangeTest, AWholeAnswerIsNotLostToTheDeadline) {
  const auto stays_open = [](ServerConnection& connection) { connection.wait_for_end(); };
  // A reason to finish, and no word of an end: the deadline ends the wait.
  const auto stream = sse({R"({"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]})"});
  const auto answer = answer_of(WireFormat::openai_chat, sends_and_then(stream, stays_open), within(milliseconds(300)));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(text_of(answer->message), "Hello");
  const auto half = sse({R"({"choices":[{"delta":{"content":"Hel"}}]})"});
  EXPECT_EQ(
      answer_of(WireFormat::openai_chat, sends_and_then(half, stays_open), within(milliseconds(300))).error().code,
      ErrorCode::deadline_exceeded);
}

TEST(CompletionExchangeTest, WhatComesAfterTheEndIsNotRead) {
  auto stream = whole_streams().front().stream;
  stream += sse({R"({"error":{"type":"overloaded_error"}})", "no JSON"});
  EXPECT_TRUE(answer_of(WireFormat::openai_chat, streams(stream)));
}

TEST(CompletionExchangeTest, UntilTextWasDeliveredAStreamIsRetried) {
  const auto good = stream_from([](ServerConnection& connection, const ReceivedRequest&, int number) {
    if (number == 1)
      return connection.reply(200, ": ping\n\n", {"content-type: text/event-stream", "retry-after-ms: 1"});
    connection.reply(200, chat_stream(), event_stream);
  });
  EXPECT_TRUE(good.result);
  EXPECT_EQ(good.text, "Hello");
  EXPECT_EQ(good.attempts, 2);
}

TEST(CompletionExchangeTest, AnErrorInsideTheStreamIsTyped) {
  const auto failed = stream_from(streams(
      sse({R"({"choices":[{"delta":{"content":"Hel"}}]})", R"({"error":{"type":"overloaded_error","message":"x"}})"})));
  EXPECT_EQ(failed.result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(failed.attempts, 1);
}

TEST(CompletionExchangeTest, ALineWithoutEndStopsAtTheSizeBound) {
  const auto failed = stream_from([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: ");
    const std::string piece(65536, 'x');
    while (connection.is_open()) connection.send(piece);
  });
  EXPECT_EQ(failed.result.error().code, ErrorCode::limit_exceeded);
}

TEST(CompletionExchangeTest, AnEventMayBeLong) {
  const std::string words(3'000'000, 'x');
  const auto whole = stream_from(
      streams(sse({R"({"choices":[{"delta":{"content":")" + words + R"("},"finish_reason":"stop"}]})", "[DONE]"})));
  ASSERT_TRUE(whole.result) << whole.result.error().message;
  EXPECT_EQ(whole.text.size(), words.size());
}

TEST(CompletionExchangeTest, AnEventStreamOfAnotherTypeIsRead) {
  for (const char* type : {"content-type: application/json", "content-type: text/plain", "x-nothing: here"}) {
    const auto handler = [type](ServerConnection& connection, const ReceivedRequest&, int) {
      connection.reply(200, chat_stream(), {type});
    };
    const auto streamed = stream_from(handler);
    ASSERT_TRUE(streamed.result) << type << streamed.result.error().message;
    EXPECT_EQ(streamed.text, "Hello");
    FaultServer server(handler);
    const auto whole = open_client(options_for(server.url()))->complete(ask("x"), {});
    ASSERT_TRUE(whole) << "who did not ask for a stream gets one";
    EXPECT_EQ(text_of(whole->message), "Hello");
  }
}

TEST(CompletionExchangeTest, AToolWithBrokenParametersIsNotSentWithoutThem) {
  FaultServer server(
      [](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, chat_reply("x")); });
  for (const char* parameters : {"{broken", "[1]", "7"}) {
    auto request = ask("x");
    request.tools.push_back({"good", "", R"({"type":"object"})", ""});
    request.tools.push_back({"pay", "", parameters, ""});
    const auto result = open_client(options_for(server.url()))->complete(request, {});
    ASSERT_FALSE(result) << parameters;
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(result.error().message.find("tool \"pay\": parameters"), std::string::npos) << result.error().message;
  }
  EXPECT_EQ(server.attempts(), 0);
}

TEST(CompletionExchangeTest, TheServicesSentenceIsInTheErrorAndOurWordsAreNot) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(400, std::string(R"({"error":{"message":"Unsupported value: 'temperature' of 9, said )") +
                              canary_key + R"( of 'the merger with Contoso'","type":"invalid_request_error"}})");
  });
  const auto result = open_client(options_for(server.url()))->complete(ask("Tell me of the merger with Contoso."), {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("Unsupported value: 'temperature' of 9"), std::string::npos)
      << result.error().message;
  EXPECT_EQ(result.error().message.find("Contoso"), std::string::npos) << result.error().message;
  EXPECT_EQ(result.error().message.find(canary_key), std::string::npos);
}

TEST(CompletionExchangeTest, WhatOneServiceSentGoesBackToItAlone) {
  const auto handler = [](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200,
                     R"({"choices":[{"finish_reason":"stop","message":{"content":"Hi","reasoning_content":"hm"}}]})");
  };
  FaultServer here(handler);
  FaultServer there(handler);
  auto there_options = options_for(there.url());
  there_options.base_url = "http://localhost:" + std::to_string(there.port());  // Another host.
  auto request = ask("x");
  const auto client = open_client(options_for(here.url()));
  const auto reply = client->complete(request, {});
  ASSERT_TRUE(reply);
  request.messages.push_back(reply->message);
  ASSERT_TRUE(client->complete(request, {}));
  ASSERT_TRUE(open_client(there_options)->complete(request, {}));
  EXPECT_NE(here.requests().back().body.find("reasoning_content"), std::string::npos);
  EXPECT_EQ(here.requests().back().body.find("_from"), std::string::npos);
  EXPECT_EQ(there.requests().back().body.find("reasoning_content"), std::string::npos);
  EXPECT_NE(there.requests().back().body.find("\"Hi\""), std::string::npos);
}

TEST(CompletionExchangeTest, AStreamWithoutEndStopsAtTheSizeBound) {
  const auto failed = stream_from([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    const auto piece = sse({R"({"choices":[{"delta":{"content":")" + std::string(60000, 'x') + R"("}}]})"});
    while (connection.is_open()) connection.send(piece);
  });
  EXPECT_EQ(failed.result.error().code, ErrorCode::limit_exceeded);
}

TEST(CompletionExchangeTest, WhatTheCallersSinkThrowsEndsTheCall) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_stream(), event_stream);
  });
  const auto client = open_client(options_for(server.url()));
  const auto result = client->stream(ask("x"), [](std::string_view) { throw std::runtime_error("secret"); }, {});
  EXPECT_EQ(result.error().code, ErrorCode::internal);
  EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
  EXPECT_TRUE(client->stream(ask("x"), {}, {}));
}

TEST(CompletionExchangeTest, AServerThatDoesNotStreamDeliversAtOnce) {
  const auto whole = stream_from([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, chat_reply("all of it"));
  });
  EXPECT_EQ(whole.text, "all of it");
  EXPECT_TRUE(whole.result);
}

TEST(CompletionExchangeTest, AnErrorReplyToAStreamIsTyped) {
  const auto failed = stream_from([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(401, R"({"error":{"type":"authentication_error"}})");
  });
  EXPECT_EQ(failed.result.error().code, ErrorCode::denied);
  EXPECT_TRUE(failed.text.empty());
}

TEST(CompletionExchangeTest, StructuredOutputFallsBackAndTheClientRemembers) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int) {
    const auto body = parse_json(request.body);
    if (body->contains("response_format")) {
      return connection.reply(400,
                              R"({"error":{"message":"response_format is not supported","param":"response_format"}})");
    }
    connection.reply(200, chat_reply("```json\n{\"a\": 1}\n```"));
  });
  const auto client = open_client(options_for(server.url()));
  auto request = ask("x");
  request.response_schema_json = R"({"type":"object"})";
  const auto response = client->complete(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text_of(response->message), "{\"a\": 1}\n");
  EXPECT_EQ(server.attempts(), 3);
  EXPECT_TRUE(client->complete(request, {}));
  EXPECT_EQ(server.attempts(), 4);
}

TEST(CompletionExchangeTest, ARefusedTemperatureIsLeftOut) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int) {
    if (request.body.find("temperature") != std::string::npos) {
      return connection.reply(400, R"({"error":{"message":"Unsupported value","param":"temperature"}})");
    }
    connection.reply(200, chat_reply("fine"));
  });
  auto request = ask("x");
  request.temperature = 0;
  EXPECT_TRUE(open_client(options_for(server.url()))->complete(request, {}));
  EXPECT_EQ(server.attempts(), 2);
}

TEST(CompletionExchangeTest, AServiceThatRefusesEverythingIsNotAskedForever) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(400, R"({"error":{"message":"max_completion_tokens temperature stream_options schema"}})");
  });
  auto request = ask("x");
  request.response_schema_json = R"({"type":"object"})";
  EXPECT_EQ(open_client(options_for(server.url()))->complete(request, {}).error().code, ErrorCode::invalid_argument);
  EXPECT_LE(server.attempts(), 8);
}

TEST(CompletionExchangeTest, AModelNameCannotEndALine) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, ""); });
  auto request = ask("x");
  request.model = "m\r\nx: y";
  EXPECT_EQ(open_client(options_for(server.url()))->complete(request, {}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(server.attempts(), 0);
}

TEST(CompletionExchangeTest, AForgottenModelIsNamedInTheError) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(400,
                     R"({"error":{"message":"you must provide a model parameter","type":"invalid_request_error"}})");
  });
  auto options = options_for(server.url());
  options.model.clear();
  const auto result = open_client(options)->complete(ask("x"), {});
  EXPECT_EQ(result.error().message,
            "the service answered with status 400 (invalid_request_error); "
            "neither the request nor the client names a model: you must provide a model parameter");
}

TEST(CompletionExchangeTest, AWholeReplyMayTakeAsLongAsItIsToWrite) {
  const auto service = http::Service::open(options_for("http://127.0.0.1:1"));
  http::QuirkMemory quirks;
  const http::CompletionContext context{**service, wire::openai_chat, quirks, "m", ""};
  const http::ExchangeLimits limits;
  auto request = ask("x");
  const auto patience = [&](bool has_begun) {
    return http::CompletionExchange(context, request, nullptr).patience(limits, has_begun);
  };
  EXPECT_EQ(patience(false), limits.first_byte_timeout + std::chrono::hours(1));
  request.max_output_tokens = 1'000;
  EXPECT_EQ(patience(false), limits.first_byte_timeout + milliseconds(28'125));
  EXPECT_EQ(patience(true), limits.idle_timeout);
}

TEST(CompletionExchangeTest, AModelMayThinkBeforeTheFirstWordOfAStream) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" +
                    sse({R"({"choices":[{"delta":{"role":"assistant"}}]})"}));
    std::this_thread::sleep_for(milliseconds(150));
    connection.send(chat_stream());
    connection.close();
  });
  auto options = options_for(server.url());
  options.idle_timeout = milliseconds(20);
  options.max_attempts = 1;
  const auto result = open_client(options)->stream(ask("x"), [](std::string_view) {}, {});
  EXPECT_TRUE(result) << result.error().message;
}

TEST(CompletionExchangeTest, AfterTheFirstWordSilenceEndsAStream) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" +
                    sse({R"({"choices":[{"delta":{"content":"Hel"}}]})"}));
    connection.wait_for_end();
  });
  auto options = options_for(server.url());
  options.idle_timeout = milliseconds(50);
  const auto result = open_client(options)->stream(ask("x"), [](std::string_view) {}, {});
  EXPECT_EQ(result.error().message, "the service was silent for too long");
  EXPECT_EQ(server.attempts(), 1);
}

TEST(CompletionExchangeTest, BytesThatAreNoUtf8AreRepaired) {
  auto body = chat_reply("a?b");
  body[body.find('?')] = '\xFF';
  FaultServer server([&](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, body); });
  const auto response = open_client(options_for(server.url()))->complete(ask("x"), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(text_of(response->message),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(CompletionExchangeTest, AnErrorObjectWithStatus200IsAnError) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest&, int) {
    connection.reply(200, R"({"error":{"code":401,"message":"no"}})");
  });
  EXPECT_EQ(open_client(options_for(server.url()))->complete(ask("x"), {}).error().code, ErrorCode::denied);
}

}  // namespace
}  // namespace ctxmgr::test
