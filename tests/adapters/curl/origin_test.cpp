#include "adapters/curl/origin.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::wire {
namespace {

ConversationMessage reply() {
  ConversationMessage message{Role::assistant,
                              std::vector<ContentPart>{{PartKind::text, "Hi", R"({"annotations":[1]})"},
                                                       {PartKind::other, "", R"({"type":"reasoning"})"}}};
  message.tool_calls.push_back({"c", "f", "{}", R"({"extra_content":{"signature":"s"}})"});
  message.extra_json = R"({"reasoning_content":"hm"})";
  return message;
}

TEST(OriginTest, WhatAServiceSentGoesBackToIt) {
  auto message = reply();
  set_origin(message, "api.deepseek.com");
  LlmRequest request;
  request.messages = {message};
  EXPECT_FALSE(without_foreign_fields(request, "api.deepseek.com"));
}

TEST(OriginTest, AndToNoOther) {
  auto message = reply();
  set_origin(message, "api.deepseek.com");
  LlmRequest request;
  request.messages = {{Role::user, "x"}, message};
  const auto own = without_foreign_fields(request, "api.openai.com");
  ASSERT_TRUE(own);
  EXPECT_EQ(to_openai_json(own->messages),
            R"([{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"Hi"}],)"
            R"("tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}])");
}

TEST(OriginTest, TheOriginItselfIsNeverSent) {
  auto message = reply();
  set_origin(message, "api.deepseek.com");
  EXPECT_EQ(to_openai_json({message}).find("deepseek"), std::string::npos);
  EXPECT_NE(to_json(message).find("deepseek"), std::string::npos) << "a store keeps it";
}

TEST(OriginTest, APlainReplyNeedsNone) {
  ConversationMessage message{Role::assistant, "Hi"};
  set_origin(message, "h");
  EXPECT_EQ(message.extra_json, "");
}

TEST(OriginTest, ARequestGetsTheShapeThatTheServiceDemands) {
  LlmRequest request;
  request.messages = {{Role::assistant, "a"}, {Role::user, "b"}};
  EXPECT_FALSE(fitted_request(request, "h", {}));
  const auto fitted = fitted_request(request, "h", message_shape("mistral").value());
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->messages.at(0).role, Role::user);
  EXPECT_EQ(fitted->messages.size(), 3U);
}

TEST(OriginTest, WhatAHostImportedIsLeftAsItIs) {
  LlmRequest request;
  request.messages = {reply()};
  EXPECT_FALSE(without_foreign_fields(request, "api.openai.com"));
}

}  // namespace
}  // namespace ctxmgr::wire
