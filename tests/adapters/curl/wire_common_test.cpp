#include "adapters/curl/wire_common.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::wire {
namespace {

bool strict(const char* schema) { return is_strict_schema(*parse_json(schema)); }

TEST(WireCommonTest, StrictSchemasAreClosedAndRequireEverything) {
  EXPECT_TRUE(strict(
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"],"additionalProperties":false})"));
  EXPECT_FALSE(strict(R"({"type":"object","properties":{"a":{}},"required":["a"]})"));
  EXPECT_FALSE(strict(R"({"type":"object","properties":{"a":{}},"additionalProperties":false})"));
  EXPECT_FALSE(strict(
      R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}},"required":["a"],"additionalProperties":false})"));
  EXPECT_FALSE(strict(R"({"type":"object"})"));
  EXPECT_TRUE(strict(R"({"type":"string"})"));
}

TEST(WireCommonTest, PlainTextIsAString) {
  ContentBuilder builder;
  builder.add_text("a");
  builder.add_text("b");
  EXPECT_EQ(std::get<std::string>(builder.take()), "ab");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(builder.take()));
}

TEST(WireCommonTest, OpaquePartsAndFieldsAreKept) {
  ContentBuilder builder;
  builder.add_text("a", {{"type", "text"}, {"text", "a"}, {"citations", {1}}});
  builder.add_opaque({{"type", "compaction"}, {"data", "x"}});
  const auto parts = std::get<std::vector<ContentPart>>(builder.take());
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].json, R"({"citations":[1]})");
  EXPECT_EQ(parse_part(parts[0]), Json({{"type", "text"}, {"text", "a"}, {"citations", {1}}}));
  EXPECT_EQ(parts[1].json, R"({"type":"compaction","data":"x"})");
}

TEST(WireCommonTest, ArgumentsAreTextWhateverFormTheyCameIn) {
  const std::string name = "f";
  const Json text = R"({"a":1})";
  const Json object = {{"a", 1}};
  const Json empty = "";
  EXPECT_EQ(make_tool_call(nullptr, &name, &text).arguments_json, R"({"a":1})");
  EXPECT_EQ(make_tool_call(nullptr, &name, &object).arguments_json, R"({"a":1})");
  for (const Json* none : {&empty, static_cast<const Json*>(nullptr)}) {
    EXPECT_EQ(make_tool_call(nullptr, &name, none).arguments_json, "{}");
  }
}

TEST(WireCommonTest, TheSchemaInWordsJoinsTheSystemMessage) {
  LlmRequest request;
  request.response_schema_json = "{}";
  request.messages.emplace_back().content = "question";
  const BodyOptions in_words = {"m", {StructuredOutput::prompt}, Delivery::whole, ""};
  auto messages = with_schema_in_words(request, in_words);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].role, Role::system);
  request.messages.front().role = Role::system;
  messages = with_schema_in_words(request, in_words);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(text_of(messages[0]).substr(0, 8), "question");
  EXPECT_EQ(with_schema_in_words(request, {"m", {}, Delivery::whole, ""}).size(), 1U);
}

}  // namespace
}  // namespace ctxmgr::wire
