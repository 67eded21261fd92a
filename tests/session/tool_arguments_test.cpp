#include "session/tool_arguments.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::session {
namespace {

constexpr std::string_view schema = R"({"type": "object", "properties": {
"key": {"type": "string"},
"limit": {"type": "integer", "minimum": 1},
"unit": {"type": "string", "enum": ["characters", "lines"]},
"value": {}}, "required": ["key"]})";

std::string error_of(std::string_view arguments) {
  const auto parsed = ToolArguments::parse(arguments, schema);
  return parsed ? std::string() : parsed.error();
}

TEST(ToolArgumentsTest, ReadsWhatTheSchemaNames) {
  const auto parsed = ToolArguments::parse(R"({"key": "k", "limit": 3, "unit": "lines", "value": [1]})", schema);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->text("key"), "k");
  EXPECT_EQ(parsed->number("limit"), 3U);
  EXPECT_EQ(dump_json(*parsed->find("value")), "[1]");
}

TEST(ToolArgumentsTest, ANumberMayBeText) {
  EXPECT_EQ(ToolArguments::parse(R"({"key": "k", "limit": "12"})", schema)->number("limit"), 12U);
  EXPECT_EQ(ToolArguments::parse(R"({"key": "k", "limit": 12.0})", schema)->number("limit"), 12U);
}

TEST(ToolArgumentsTest, NullIsAsGoodAsAbsent) {
  const auto parsed = ToolArguments::parse(R"({"key": "k", "limit": null, "unit": null})", schema);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->number("limit"), std::nullopt);
  EXPECT_EQ(parsed->text("unit"), "");
  EXPECT_EQ(error_of(R"({"key": null})"), "`key` is missing. Send [\"key\"].");
}

TEST(ToolArgumentsTest, SaysWhatHasToBeSentInstead) {
  EXPECT_EQ(error_of(R"({"key": 5})"), "`key` has to be text. Correct it and call again.");
  for (const std::string limit : {"0", "-1", "1.5", "1e30", "\"\"", "\"4x\"", "\" 4\"", "true", "[]"}) {
    EXPECT_EQ(error_of(R"({"key": "k", "limit": )" + limit + "}"),
              "`limit` has to be a whole number, at least 1. Correct it and call again.")
        << limit;
  }
  EXPECT_EQ(error_of(R"({"key": "k", "unit": "bytes"})"),
            "`unit` has to be one of [\"characters\",\"lines\"]. Correct it and call again.");
}

TEST(ToolArgumentsTest, WhatTheSchemaDoesNotNameIsNotLookedAt) {
  EXPECT_EQ(error_of(R"({"key": "k", "trust": {"deep": true}})"), "");
}

TEST(ToolArgumentsTest, WhatIsNoObjectIsRefused) {
  EXPECT_EQ(error_of("[]").find("the arguments have to be a JSON object"), 0U);
  EXPECT_EQ(error_of("{").find("the arguments are no valid JSON"), 0U);
  EXPECT_EQ(error_of("").find("`key` is missing"), 0U);
}

}  // namespace
}  // namespace ctxmgr::session
