#include "serve/receipt_field.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

/// The whole answer where it comes in pieces of so many bytes.
std::string passed(const std::string& answer, std::size_t piece_bytes) {
  ReceiptField field;
  std::string all;
  for (std::size_t at = 0; at < answer.size(); at += piece_bytes) all += field.pass(answer.substr(at, piece_bytes));
  return all + field.end("{}");
}

TEST(ReceiptFieldTest, AnObjectGetsTheReceiptAsItsLastFieldHoweverItComes) {
  const std::string answer = "{\"a\": {\"b\": \"}\"}, \"c\": [{}] } \n";
  for (std::size_t bytes = 1; bytes <= answer.size(); ++bytes)
    EXPECT_EQ(passed(answer, bytes), "{\"a\": {\"b\": \"}\"}, \"c\": [{}] ,\"metadata\":{}} \n") << bytes;
  EXPECT_EQ(passed("{}", 1), "{\"metadata\":{}}");
}

TEST(ReceiptFieldTest, AnAnswerThatHasTheNameKeepsItsFieldAndTheReceiptGetsAnother) {
  const std::string answer = R"({"id": "r", "metadata": {}, "text": "a"})";
  for (std::size_t bytes = 1; bytes <= answer.size(); ++bytes)
    EXPECT_EQ(passed(answer, bytes), R"({"id": "r", "metadata": {}, "text": "a","ctxmgr_metadata":{}})") << bytes;
  for (const std::string other : {R"({"a": {"metadata": 1}})", R"({"a": "metadata"})", R"({"a": ["metadata"]})",
                                  R"({"a": "\\\"metadata\":1"})", R"({"a\"metadata": 1})", R"({"metadata2": 1})"}) {
    for (const std::size_t bytes : {1U, 99U})
      EXPECT_EQ(passed(other, bytes), other.substr(0, other.size() - 1) + ",\"metadata\":{}}");
  }
}

TEST(ReceiptFieldTest, WhatIsNoObjectPassesAsItIs) {
  for (const std::string answer : {"", "[1]", "}", "7", "[{}", " ", "{\"a\":", "x}"}) {
    for (const std::size_t bytes : {1U, 9U}) EXPECT_EQ(passed(answer, bytes), answer);
  }
}

TEST(ReceiptFieldTest, OnlyTheEndOfAnAnswerIsHeldBack) {
  ReceiptField field;
  std::size_t passed = 0;
  std::size_t came = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::string piece = (i == 0 ? "{" : ",") + std::string("\"a\":{\"b\":1}") + std::string(4'096, ' ');
    came += piece.size();
    passed += field.pass(piece).size();
    EXPECT_LE(came - passed, 4'200U);
  }
}

}  // namespace
}  // namespace ctxpack::serve::test
