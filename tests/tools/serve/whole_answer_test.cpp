#include "serve/whole_answer.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace ctxpack::serve::test {
namespace {

class Pieces final : public ctxmgr::HttpAnswer {
 public:
  explicit Pieces(std::deque<std::string> pieces, bool breaks = false) : pieces_(std::move(pieces)), breaks_(breaks) {}
  [[nodiscard]] int status() const override { return 418; }
  [[nodiscard]] const ctxmgr::HttpHeaders& headers() const override { return headers_; }
  ctxmgr::Result<std::optional<std::string>> next(const ctxmgr::CallOptions&) override {
    if (pieces_.empty() && breaks_) return ctxmgr::fail(ctxmgr::ErrorCode::unavailable, "broken");
    if (pieces_.empty()) return std::optional<std::string>();
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    return std::optional<std::string>(std::move(piece));
  }

 private:
  const ctxmgr::HttpHeaders headers_ = {{"a", "b"}};
  std::deque<std::string> pieces_;
  const bool breaks_;
};

std::string rest_of(ctxmgr::HttpAnswer& answer) {
  std::string all;
  while (auto bytes = answer.next({})) {
    if (!*bytes) return all;
    all += **bytes;
  }
  return all + "<broken>";
}

TEST(WholeAnswerTest, WhatWasReadIsPassedOnOnceWithStatusAndHeaders) {
  const auto answer = WholeAnswer::read(std::make_unique<Pieces>(std::deque<std::string>{"ab", "cd"}), 100, {});
  ASSERT_TRUE(answer);
  EXPECT_TRUE((*answer)->has_ended());
  EXPECT_EQ((*answer)->body(), "abcd");
  EXPECT_EQ((*answer)->status(), 418);
  EXPECT_EQ((*answer)->headers().at(0).second, "b");
  EXPECT_EQ(rest_of(**answer), "abcd");
}

TEST(WholeAnswerTest, BeyondTheBoundTheRestComesAsItComes) {
  const auto answer = WholeAnswer::read(std::make_unique<Pieces>(std::deque<std::string>{"ab", "cd", "ef"}), 3, {});
  ASSERT_TRUE(answer);
  EXPECT_FALSE((*answer)->has_ended());
  EXPECT_EQ((*answer)->body(), "abcd");
  EXPECT_EQ(rest_of(**answer), "abcdef");
}

TEST(WholeAnswerTest, AnAnswerThatBreaksOffIsAnError) {
  const auto answer = WholeAnswer::read(std::make_unique<Pieces>(std::deque<std::string>{"ab"}, true), 100, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ctxmgr::ErrorCode::unavailable);
}

}  // namespace
}  // namespace ctxpack::serve::test
