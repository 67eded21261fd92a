#include "adapters/curl/service_words.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::http {
namespace {

TEST(ServiceWordsTest, TheServicesSentenceIsRepeated) {
  EXPECT_EQ(quotable("max_tokens: 9 > 8, which is the maximum", {{Role::user, "Tell me of tokens."}}),
            "max_tokens: 9 > 8, which is the maximum");
}

TEST(ServiceWordsTest, WhatItQuotesOfTheMessagesIsNot) {
  ConversationMessage call{Role::assistant};
  call.tool_calls.push_back({"c", "pay", R"({"iban":"NO9386011117947"})", ""});
  const std::vector<ConversationMessage> messages{{Role::user, "Ada owes 7,000 crowns to Bo."}, call};
  EXPECT_EQ(quotable("invalid content: 'Ada owes 7,000 crowns to Bo.' is flagged", messages),
            "invalid content: '…' is flagged");
  EXPECT_EQ(quotable("bad argument NO9386011117947!", messages), "bad argument …!");
  EXPECT_EQ(quotable("Ada owes 7,000 and NO9386011117947", messages), "…and …");
}

TEST(ServiceWordsTest, ItIsOneShortLine) {
  const auto line = quotable("a\nb\tc\x01" + std::string(1'000, 'x'), {});
  EXPECT_EQ(line.find_first_of("\n\t\x01"), std::string::npos);
  EXPECT_EQ(line.size(), 300U);
  EXPECT_EQ(quotable("", {{Role::user, "x"}}), "");
}

}  // namespace
}  // namespace ctxmgr::http
