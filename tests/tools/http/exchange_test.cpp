#include "http/exchange.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ctxpack::http::test {
namespace {

struct Exchanged {
  Outcome outcome = Outcome::close;
  std::string answer{};
  std::string left{};
  std::vector<std::string> bodies{};
};

/// What is answered to bytes that have all come; the client has gone after them where `has_gone`.
Exchanged exchanged(const std::string& bytes, const std::function<Reply(const Request&)>& answer = {},
                    const Limits& limits = {}, bool refuses = false) {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Exchanged result;
  Handler handler;
  handler.refuse = [&](const RequestHead&) {
    Reply reply;
    reply.status = 403;
    reply.body = "no";
    return refuses ? std::optional<Reply>(reply) : std::nullopt;
  };
  handler.answer = [&](const Request& request) {
    result.bodies.push_back(request.body);
    Reply reply;
    reply.body = "hello";
    return answer ? answer(request) : reply;
  };
  handler.fail = [](const RequestHead&, int status, const std::string& why) {
    Reply reply;
    reply.status = status;
    reply.body = why;
    return reply;
  };
  {
    Connection connection(ends[0], "here");
    result.left = bytes;
    BodyBuffers buffers(0);
    result.outcome = exchange(connection, result.left, limits, handler, buffers);
  }
  std::array<char, 4'096> piece{};
  for (ssize_t got = 0; (got = recv(ends[1], piece.data(), piece.size(), 0)) > 0;)
    result.answer.append(piece.data(), static_cast<std::size_t>(got));
  close(ends[1]);
  return result;
}

std::string post(const std::string& lines, const std::string& body) {
  return "POST /x HTTP/1.1\r\nHost: here\r\n" + lines + "\r\n" + body;
}

Reply in_pieces(int status = 200) {
  Reply reply;
  reply.status = status;
  reply.source = [left = 2]() mutable -> ctxmgr::Result<std::optional<std::string>> {
    if (left-- == 0) return std::optional<std::string>();
    return std::optional<std::string>("piece");
  };
  return reply;
}

TEST(ExchangeTest, ABodyIsReadByItsLengthOrInChunksAndTheNextRequestStays) {
  const auto length = exchanged(post("Content-Length: 2\r\n", "abGET"));
  EXPECT_EQ(length.bodies, std::vector<std::string>{"ab"});
  EXPECT_EQ(length.left, "GET");
  EXPECT_EQ(length.outcome, Outcome::keep);
  EXPECT_NE(length.answer.find("content-length: 5\r\nconnection: keep-alive\r\n\r\nhello"), std::string::npos);
  const auto chunks = exchanged(post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n1\r\nb\r\n0\r\n\r\nGET"));
  EXPECT_EQ(chunks.bodies, std::vector<std::string>{"ab"});
  EXPECT_EQ(chunks.left, "GET");
}

TEST(ExchangeTest, WhatIsNotReadIsNotTakenForARequest) {
  const std::string smuggled = "POST /secret HTTP/1.1\r\nHost: here\r\n\r\n";
  const auto refused =
      exchanged(post("Content-Length: " + std::to_string(smuggled.size()) + "\r\n", smuggled), {}, {}, true);
  EXPECT_EQ(refused.outcome, Outcome::discard);
  EXPECT_EQ(refused.left, "");
  EXPECT_NE(refused.answer.find("403"), std::string::npos);
  for (const char* lines : {"Content-Length: 2x\r\n", "Transfer-Encoding: gzip\r\n",
                            "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"}) {
    const auto broken = exchanged(post(lines, smuggled));
    EXPECT_EQ(broken.outcome, Outcome::discard);
    EXPECT_EQ(broken.left, "");
    EXPECT_TRUE(broken.bodies.empty());
    EXPECT_NE(broken.answer.find("HTTP/1.1 400"), std::string::npos);
  }
}

TEST(ExchangeTest, ARefusalWithoutABodyKeepsTheConnection) {
  EXPECT_EQ(exchanged("GET /x HTTP/1.1\r\nHost: here\r\n\r\n", {}, {}, true).outcome, Outcome::keep);
}

TEST(ExchangeTest, ARefusedHeadHasNoBodyThatWouldBeTakenForTheNextAnswer) {
  const auto refused = exchanged("HEAD /x HTTP/1.1\r\nHost: here\r\n\r\n", {}, {}, true);
  EXPECT_EQ(refused.outcome, Outcome::keep);
  EXPECT_NE(refused.answer.find("content-length: 2"), std::string::npos);
  EXPECT_EQ(refused.answer.substr(refused.answer.find("\r\n\r\n")), "\r\n\r\n");
}

TEST(ExchangeTest, BodiesThatAreTooLargeAreSeenAsTheyCome) {
  Limits limits;
  limits.body_bytes = 4;
  for (const std::string& bytes : {post("Content-Length: 5\r\n", "abcde"),
                                   post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")}) {
    const auto large = exchanged(bytes, {}, limits);
    EXPECT_EQ(large.outcome, Outcome::discard);
    EXPECT_NE(large.answer.find("HTTP/1.1 413"), std::string::npos) << large.answer;
    EXPECT_TRUE(large.bodies.empty());
  }
}

TEST(ExchangeTest, ABodyThatDoesNotComeIsNotWaitedForForEver) {
  Limits limits;
  limits.body_pause = std::chrono::milliseconds(1);
  EXPECT_NE(exchanged(post("Content-Length: 5\r\n", "abc"), {}, limits).answer.find("HTTP/1.1 408"), std::string::npos);
  limits.body_pause = std::chrono::hours(1);
  limits.body_time = std::chrono::milliseconds(1);
  EXPECT_NE(exchanged(post("Content-Length: 5\r\n", "abc"), {}, limits).answer.find("HTTP/1.1 408"), std::string::npos);
}

TEST(ExchangeTest, AStreamIsChunkedWhereTheClientKnowsChunks) {
  const auto stream = [](const Request&) { return in_pieces(); };
  const auto now = exchanged("GET /x HTTP/1.1\r\nHost: here\r\n\r\n", stream);
  EXPECT_NE(now.answer.find("transfer-encoding: chunked"), std::string::npos);
  EXPECT_NE(now.answer.find("5\r\npiece\r\n5\r\npiece\r\n0\r\n\r\n"), std::string::npos);
  EXPECT_EQ(now.outcome, Outcome::keep);
  const auto old = exchanged("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", stream);
  EXPECT_EQ(old.answer.find("chunked"), std::string::npos);
  EXPECT_NE(old.answer.find("connection: close\r\n\r\npiecepiece"), std::string::npos);
  EXPECT_EQ(old.outcome, Outcome::close);
}

TEST(ExchangeTest, AnswersThatHaveNoBodyGetNone) {
  for (const int status : {204, 304}) {
    const auto none =
        exchanged("GET /x HTTP/1.1\r\nHost: here\r\n\r\n", [&](const Request&) { return in_pieces(status); });
    EXPECT_EQ(none.answer.substr(none.answer.find("\r\n\r\n")), "\r\n\r\n");
    EXPECT_EQ(none.answer.find("chunked"), std::string::npos);
    EXPECT_EQ(none.answer.find("content-length"), std::string::npos);
  }
  const auto head = exchanged("HEAD /x HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_NE(head.answer.find("content-length: 5"), std::string::npos);
  EXPECT_EQ(head.answer.substr(head.answer.find("\r\n\r\n")), "\r\n\r\n");
}

TEST(ExchangeTest, AStreamThatBreaksOffHasNoEnd) {
  const auto broken = exchanged("GET /x HTTP/1.1\r\nHost: here\r\n\r\n", [](const Request&) {
    Reply reply;
    reply.source = []() -> ctxmgr::Result<std::optional<std::string>> {
      return ctxmgr::fail(ctxmgr::ErrorCode::unavailable, "broken");
    };
    return reply;
  });
  EXPECT_EQ(broken.outcome, Outcome::close);
  EXPECT_EQ(broken.answer.find("0\r\n\r\n"), std::string::npos);
}

TEST(ExchangeTest, AHeaderCannotEndItsLine) {
  const auto answer = exchanged("GET /x HTTP/1.1\r\nHost: here\r\n\r\n", [](const Request&) {
    Reply reply;
    reply.headers = {{"x-a", "1\r\nset-cookie: 2"}, {"x-b", "3"}};
    return reply;
  });
  EXPECT_EQ(answer.answer.find("set-cookie"), std::string::npos);
  EXPECT_NE(answer.answer.find("x-b: 3"), std::string::npos);
}

}  // namespace
}  // namespace ctxpack::http::test
