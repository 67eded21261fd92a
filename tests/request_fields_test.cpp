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
  apply(fields, {}, request);
  EXPECT_EQ(request.models.primary, "m");
  EXPECT_EQ(request.budget.reserved_output_tokens, 7);
  EXPECT_EQ(request.tools.at(0).name, "f");
}

TEST(RequestFieldsTest, WhatTheRequestDoesNotSayStaysTheHosts) {
  auto fields = read("{}");
  BuildRequest request;
  request.models.primary = "host's";
  request.tools.push_back({"g"});
  apply(fields, {}, request);
  EXPECT_EQ(request.models.primary, "host's");
  EXPECT_EQ(request.tools.size(), 1U);
  EXPECT_FALSE(request.budget.reserved_output_tokens);
}

constexpr const char* deferred_tools =
    R"({"tools":[{"name":"read","input_schema":{"type":"object"}},
                 {"name":"book","defer_loading":true,"input_schema":{"type":"object"}},
                 {"type":"function","name":"pay","defer_loading":true,"parameters":{"type":"object"}},
                 {"name":"now","defer_loading":false,"input_schema":{"type":"object"}}]})";

std::vector<std::string> tool_names(const std::vector<ToolDefinition>& tools) {
  std::vector<std::string> names;
  for (const auto& tool : tools) names.push_back(tool.name);
  return names;
}

TEST(RequestFieldsTest, ToolsThatTheServiceKeepsBackAreNoneOfTheBuilds) {
  auto fields = read(deferred_tools);
  BuildRequest request;
  apply(fields, {{Role::user, "Book a berth."}}, request);
  EXPECT_EQ(tool_names(request.tools), (std::vector<std::string>{"read", "now"}));
  EXPECT_TRUE(request.pinned_tools.empty());
}

TEST(RequestFieldsTest, OnceTheHistoryRefersToThemTheyCountAndStay) {
  auto fields = read(deferred_tools);
  ConversationMessage found{Role::tool};
  found.tool_call_id = "c";
  found.content = std::vector<ContentPart>{{PartKind::other, "", R"({"type":"tool_reference","tool_name":"book"})"}};
  BuildRequest request;
  apply(fields, {{Role::user, "Book a berth."}, found}, request);
  EXPECT_EQ(tool_names(request.tools), (std::vector<std::string>{"read", "book", "now"}));
  EXPECT_EQ(request.pinned_tools, std::vector<std::string>{"book"});
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
