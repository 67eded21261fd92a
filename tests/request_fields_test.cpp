#include "request_fields.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

RequestFields read(const char* json) {
  auto fields = decode_json<RequestFields>(*parse_json(json));
  EXPECT_TRUE(fields) << fields.error().message;
  return fields.value_or(RequestFields{});
}

TEST(RequestFieldsTest, TheRequestGoesBeforeTheHost) {
  auto fields = read(R"({"model":"m","max_tokens":7,"tools":[{"name":"f","input_schema":{"type":"object"}}]})");
  BuildRequest request;
  request.models.primary = "other";
  apply(fields, request);
  EXPECT_EQ(request.models.primary, "m");
  EXPECT_EQ(request.budget.reserved_output_tokens, 7);
  EXPECT_EQ(request.tools.at(0).name, "f");
}

TEST(RequestFieldsTest, WhatTheRequestDoesNotSayStaysTheHosts) {
  auto fields = read("{}");
  BuildRequest request;
  request.models.primary = "host's";
  request.tools.push_back({"g"});
  apply(fields, request);
  EXPECT_EQ(request.models.primary, "host's");
  EXPECT_EQ(request.tools.size(), 1U);
  EXPECT_FALSE(request.budget.reserved_output_tokens);
}

TEST(RequestFieldsTest, AttachmentsAndStepsAreOursAlone) {
  auto fields = read(R"({"attachments":[{"title":"a","content":"b"}],"steps":[{"step_index":3}]})");
  const auto context = make_context({{Role::user, "hi"}}, fields, {}, {});
  ASSERT_TRUE(context);
  EXPECT_EQ(context->artifacts.at(0).content, "b");
  EXPECT_EQ(context->step_records.at(0).step_index, 3);
  EXPECT_EQ(context->conversation_history.size(), 1U);
  Json request = {{"attachments", 1}, {"steps", 2}, {"model", "m"}};
  erase_own_fields(request);
  EXPECT_EQ(request, Json({{"model", "m"}}));
}

}  // namespace
}  // namespace ctxmgr
