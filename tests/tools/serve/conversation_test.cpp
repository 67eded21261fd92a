#include "serve/conversation.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

TEST(ConversationTest, AConversationKeepsItsNameWhileItGrows) {
  const auto name = thread_of(R"({"system":"S","messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_TRUE(is_valid_thread(name));
  EXPECT_EQ(thread_of(R"({"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[
    {"role":"user","content":[{"type":"text","text":"Hello"}]},{"role":"assistant","content":"Hi"},
    {"role":"user","content":"More"}],"model":"another"})"),
            name);
}

TEST(ConversationTest, OthersHaveOtherNames) {
  const auto name = thread_of(R"({"system":"S","messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_NE(thread_of(R"({"system":"T","messages":[{"role":"user","content":"Hello"}]})"), name);
  EXPECT_NE(thread_of(R"({"system":"S","messages":[{"role":"user","content":"Hello!"}]})"), name);
}

TEST(ConversationTest, WhatIsNoRequestHasNoName) {
  for (const char* text :
       {"", "[", "7", "[]", "{}", R"({"messages":7})", R"({"messages":[7]})", "{\"messages\":\"\xFF\"}"})
    EXPECT_EQ(thread_of(text), "") << text;
}

TEST(ConversationTest, NamesOfClientsAreShortAndPrintable) {
  EXPECT_TRUE(is_valid_thread("run-7:a/b"));
  for (const std::string& name : {std::string(), std::string("a b"), std::string("\xC3\xA4"), std::string(101, 'a')})
    EXPECT_FALSE(is_valid_thread(name)) << name;
}

}  // namespace
}  // namespace ctxpack::serve::test
