#include "serve/conversation.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

std::string thread_of_request(std::string_view body) { return glance_at(body).thread; }

TEST(ConversationTest, AConversationKeepsItsNameWhileItGrows) {
  const auto name = thread_of_request(R"({"system":"S","messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_TRUE(is_valid_thread(name));
  EXPECT_EQ(
      thread_of_request(R"({"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[
    {"role":"user","content":[{"type":"text","text":"Hello"}]},{"role":"assistant","content":"Hi"},
    {"role":"user","content":"More"}],"model":"another"})"),
      name);
}

TEST(ConversationTest, PeopleKnowItByTheFirstWordsOfItsUser) {
  const auto first = [](const std::string& content) {
    return glance_at(R"({"system":"S","messages":[{"role":"user","content":)" + content + "}]}").first_words;
  };
  EXPECT_EQ(first(R"("Mend  the\n\tfees ")"), "Mend the fees ");
  EXPECT_EQ(first(R"([{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"Mend it"},
                     {"type":"image"}])"),
            "Mend it");
  EXPECT_EQ(first(R"(")" + std::string(79, 'a') + R"(äbc")"), std::string(79, 'a') + "…");
  EXPECT_EQ(glance_at(R"({"input":"Mend it"})").first_words, "Mend it");
  EXPECT_EQ(glance_at("7").first_words, "");
}

TEST(ConversationTest, OthersHaveOtherNames) {
  const auto name = thread_of_request(R"({"system":"S","messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_NE(thread_of_request(R"({"system":"T","messages":[{"role":"user","content":"Hello"}]})"), name);
  EXPECT_NE(thread_of_request(R"({"system":"S","messages":[{"role":"user","content":"Hello!"}]})"), name);
}

TEST(ConversationTest, WhatIsNoRequestHasNoName) {
  for (const char* text :
       {"", "[", "7", "[]", "{}", R"({"messages":7})", R"({"messages":[7]})", "{\"messages\":\"\xFF\"}"})
    EXPECT_EQ(thread_of_request(text), "") << text;
}

TEST(ConversationTest, AnAgentThatReadsBackOffersTheTool) {
  EXPECT_TRUE(glance_at(R"({"tools":[{"type":"function","function":{"name":"get_context"}}]})").reads_back);
  EXPECT_TRUE(glance_at(R"({"tools":[7,{"name":"other"},{"name":"get_context"}]})").reads_back);
  for (const char* text : {"{}", R"({"tools":7})", R"({"tools":[{"name":"get_contexts"},{"name":7},{}]})"})
    EXPECT_FALSE(glance_at(text).reads_back) << text;
}

TEST(ConversationTest, NamesOfClientsAreShortAndPrintable) {
  EXPECT_TRUE(is_valid_thread("run-7:a/b"));
  for (const std::string& name : {std::string(), std::string("a b"), std::string("\xC3\xA4"), std::string(101, 'a')})
    EXPECT_FALSE(is_valid_thread(name)) << name;
}

TEST(ConversationTest, ARequestSaysWhetherAllOfItsInputStandsInIt) {
  const std::string messages = R"("model":"m","messages":[{"role":"user","content":"an \"image_url\" and a file"}])";
  for (const char* const whole :
       {"", R"(,"previous_response_id":null)", R"(,"truncation":"disabled")", R"(,"tools":[])",
        R"(,"tools":[{"type":"function","function":{"name":"f"}},{"name":"g","input_schema":{}},{"type":"custom"}])"})
    EXPECT_TRUE(glance_at("{" + messages + whole + "}").carries_all_input) << whole;
  for (const char* const part :
       {R"(,"previous_response_id":"r")", R"(,"conversation":"c")", R"(,"truncation":"auto")",
        R"(,"tools":[{"type":"web_search"}])", R"(,"mcp_servers":[{"url":"https://m"}])", R"(,"a":{"file_id":"f"})"})
    EXPECT_FALSE(glance_at("{" + messages + part + "}").carries_all_input) << part;
  EXPECT_EQ(glance_at(R"({"max_tokens":300})").output_tokens, 300);
  EXPECT_EQ(glance_at(R"({"max_tokens":-300})").output_tokens, 0);
  EXPECT_EQ(glance_at(R"({"max_completion_tokens":7,"max_tokens":"x"})").output_tokens, 7);
}

}  // namespace
}  // namespace ctxpack::serve::test
