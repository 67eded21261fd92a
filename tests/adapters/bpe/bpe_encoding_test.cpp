#include "ctxmgr/adapters/bpe_encoding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace ctxmgr {
namespace {

const BpeEncoding& o200k() {
  static const BpeEncoding encoding = BpeEncoding::load("o200k_base").value();
  return encoding;
}

const BpeEncoding& cl100k() {
  static const BpeEncoding encoding = BpeEncoding::load("cl100k_base").value();
  return encoding;
}

using Ids = std::vector<TokenId>;

std::string repeat(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

// Text as agents see it, with the places where the split patterns are subtle.
std::string mixed_text() {
  static const std::vector<std::string> pieces = {"don't",
                                                  "WE'LL",
                                                  "a'ſ'mm",
                                                  " word",
                                                  "Word",
                                                  "HTML",
                                                  "camelCase",
                                                  "漢字",
                                                  "ひらがな",
                                                  "한국어",
                                                  "é",
                                                  "e\u0301",
                                                  "ǅ",
                                                  "ʰ",
                                                  "١٢",
                                                  "Ⅻ",
                                                  "1234567",
                                                  " ",
                                                  "  ",
                                                  "\t",
                                                  "\n",
                                                  "\r\n",
                                                  "\u00A0",
                                                  "\u3000",
                                                  "\u2028",
                                                  "\u0085",
                                                  "'s",
                                                  "'",
                                                  "//",
                                                  "/",
                                                  "...",
                                                  "😀",
                                                  "👩\u200d👩\u200d👧",
                                                  "<|endoftext|>",
                                                  "{\"a\": [1, 2]}",
                                                  "\U00020000",
                                                  "\x01",
                                                  "_",
                                                  "-"};
  std::string text;
  const int count = *rc::gen::inRange(0, 30);
  for (int i = 0; i < count; ++i) text += *rc::gen::elementOf(pieces);
  return text;
}

TEST(BpeEncodingTest, LoadsWhatIsCompiledInByName) {
  EXPECT_EQ(o200k().name(), "o200k_base");
  EXPECT_EQ(o200k().vocabulary_size(), 199'998U);
  EXPECT_EQ(cl100k().vocabulary_size(), 100'256U);
  EXPECT_EQ(BpeEncoding::load("p50k_base").error().code, ErrorCode::not_found);
}

TEST(BpeEncodingTest, EncodesAsTheReferenceDoes) {
  EXPECT_EQ(o200k().encode(""), Ids{});
  EXPECT_EQ(o200k().encode("Hello, world"), (Ids{13225, 11, 2375}));
  EXPECT_EQ(cl100k().encode("a\n  "), (Ids{64, 198, 256}));
  EXPECT_EQ(cl100k().encode("a \n\n  "), (Ids{64, 4815, 256}));
  EXPECT_EQ(cl100k().encode("   "), (Ids{262}));
}

TEST(BpeEncodingTest, CountsSpecialTokensInTextAsText) {
  EXPECT_GT(o200k().count("<|endoftext|>"), 1);
  EXPECT_GT(cl100k().count("<|im_start|>"), 1);
}

TEST(BpeEncodingTest, CountsMalformedUtf8AsReplacementCharacters) {
  EXPECT_EQ(o200k().encode("a\xFF z"), o200k().encode("a\uFFFD z"));
  EXPECT_EQ(o200k().encode("caf\xC3"), o200k().encode("caf\uFFFD"));
  EXPECT_EQ(o200k().encode("\xE2\x82 \xF0\x9F\x98!"), o200k().encode("\uFFFD \uFFFD!"));
  EXPECT_EQ(o200k().encode("\xED\xA0\x80"), o200k().encode("\uFFFD\uFFFD\uFFFD"));
}

RC_GTEST_PROP(BpeEncodingTest, DecodingGivesTheTextBack, ()) {
  const std::string text = mixed_text();
  RC_ASSERT(o200k().decode(o200k().encode(text)).value() == text);
  RC_ASSERT(cl100k().decode(cl100k().encode(text)).value() == text);
}

RC_GTEST_PROP(BpeEncodingTest, CountIsTheNumberOfTokens, ()) {
  const std::string text = mixed_text();
  RC_ASSERT(o200k().count(text) == static_cast<std::int64_t>(o200k().encode(text).size()));
  RC_ASSERT(cl100k().count(text) == static_cast<std::int64_t>(cl100k().encode(text).size()));
}

RC_GTEST_PROP(BpeEncodingTest, CountUpToIsExactWithinTheLimitAndAboveItOtherwise, ()) {
  const std::string text = mixed_text();
  const auto limit = *rc::gen::inRange<std::int64_t>(-1, 60);
  const auto exact = o200k().count(text);
  const auto counted = o200k().count_up_to(text, limit);
  const bool right = exact <= limit ? counted == exact : counted > limit && counted <= exact;
  RC_ASSERT(right);
}

RC_GTEST_PROP(BpeEncodingTest, CountsAnyBytes, (const std::string& bytes)) {
  RC_ASSERT(o200k().count(bytes) == static_cast<std::int64_t>(o200k().encode(bytes).size()));
}

TEST(BpeEncodingTest, RefusesToDecodeIdsThatItLacks) {
  EXPECT_EQ(o200k().decode({199'999}).error().code, ErrorCode::invalid_argument);
}

TEST(BpeEncodingTest, StopsCountingALongRunWithoutEncodingIt) {
  const auto counted = o200k().count_up_to(repeat("a", 1'000'000), 10);
  EXPECT_GT(counted, 10);
  EXPECT_LT(counted, 20'000) << "of 125 000, as it is without a limit";
}

TEST(BpeEncodingThreadsTest, OneEncodingServesSeveralThreads) {
  const std::string text = repeat("The 漢字 don't fit: 12345 ", 40);
  const auto expected = o200k().count(text);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) wrong += o200k().count(text) == expected ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ctxmgr
