#include "http/request_head.hpp"

#include <gtest/gtest.h>

namespace ctxpack::http::test {
namespace {

std::string with(const std::string& lines, const std::string& method = "POST") {
  return method + " /v1/chat/completions?a=b%20c HTTP/1.1\r\nHost: here\r\n" + lines + "\r\n";
}

TEST(RequestHeadTest, AHeadIsReadWithItsParts) {
  const auto head = parse_head(with("Content-Length: 12\r\nX-Key:  k \r\nConnection: Close\r\n"));
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->method, "POST");
  EXPECT_EQ(head->path, "/v1/chat/completions");
  EXPECT_EQ(head->parameter("a"), "b c");
  EXPECT_EQ(head->parameter("b"), "");
  EXPECT_EQ(head->header("x-key"), "k");
  EXPECT_EQ(head->framing, Framing::length);
  EXPECT_EQ(head->body_bytes, 12U);
  EXPECT_FALSE(head->keeps_alive);
  EXPECT_EQ(parse_head(with("Transfer-Encoding: Chunked\r\n"))->framing, Framing::chunked);
  EXPECT_FALSE(parse_head("GET / HTTP/1.0\r\n\r\n")->keeps_alive);
  EXPECT_TRUE(parse_head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->keeps_alive);
  EXPECT_TRUE(parse_head(with("Expect: 100-continue\r\nContent-Length: 1\r\n"))->expects_continue);
}

TEST(RequestHeadTest, WhatCouldBeReadInTwoWaysIsRefused) {
  for (const std::string lines : {"Content-Length: 2x\r\n",
                                  "Content-Length: -2\r\n",
                                  "Content-Length: +2\r\n",
                                  "Content-Length:\r\n",
                                  "Content-Length: 2, 2\r\n",
                                  "Content-Length: 2\r\nContent-Length: 2\r\n",
                                  "Content-Length: 0x2\r\n",
                                  "Content-Length: 9999999999999999999\r\n",
                                  "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
                                  "Transfer-Encoding: gzip, chunked\r\n",
                                  "Transfer-Encoding: identity\r\n",
                                  "Transfer-Encoding: xchunked\r\n",
                                  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                  "Transfer-Encoding : chunked\r\n",
                                  " Transfer-Encoding: chunked\r\n",
                                  "X: a\r\n folded\r\n",
                                  "X: a\nTransfer-Encoding: chunked\r\n",
                                  "Host: other\r\n",
                                  "no colon\r\n",
                                  ": no name\r\n",
                                  "Expect: miracles\r\n",
                                  "Content-Encoding: gzip\r\n",
                                  "X: \x01\r\n"}) {
    const auto head = parse_head(with(lines));
    ASSERT_FALSE(head) << lines;
    EXPECT_EQ(head.error().code, ctxmgr::ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(parse_head(with("Content-Length: 2\r\n", "GET")));
  EXPECT_FALSE(parse_head(with("Transfer-Encoding: chunked\r\n", "HEAD")));
  EXPECT_TRUE(parse_head(with("Content-Length: 0\r\n", "GET")));
  for (const std::string line :
       {"GET / HTTP/2.0", "GET  / HTTP/1.1", "GET http://here/ HTTP/1.1", "GET /", "G(T / HTTP/1.1",
        "GET /a b HTTP/1.1", "GET /#a HTTP/1.1", "GET /\xC3\xA4 HTTP/1.1", ""})
    EXPECT_FALSE(parse_head(line + "\r\nHost: here\r\n\r\n")) << line;
  EXPECT_FALSE(parse_head("GET / HTTP/1.1\r\n\r\n")) << "without a host";
}

TEST(RequestHeadTest, PathsThatGoUpAreRefusedHoweverTheyAreWritten) {
  for (const char* path :
       {"/v1/models/../../admin", "/v1/%2e%2e/admin", "/v1/%2E./admin", "/v1/..%2fadmin", "/.", "/v1/..",
        "/v1/%252e%252e/admin", "/v1/..%5cadmin", "/v1/..;x/admin", "/v1/\\..\\admin", "/v1/%00", "/v1/%0d%0a"})
    EXPECT_FALSE(is_plain_path(path)) << path;
  for (const char* path : {"/", "/v1/models/meta%2Fllama-3", "/v1/models/a..b", "/v1/...", "/v1/100%", "/v1/%zz"})
    EXPECT_TRUE(is_plain_path(path)) << path;
}

TEST(RequestHeadTest, TheEndOfAHeadIsAnEmptyLine) {
  EXPECT_EQ(end_of_head("GET / HTTP/1.1\r\n\r"), std::string::npos);
  EXPECT_EQ(end_of_head("a\r\n\r\nb"), 5U);
}

}  // namespace
}  // namespace ctxpack::http::test
