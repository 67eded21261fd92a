#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateFormatTest, WritesNumbersAsPythonDoes) {
  EXPECT_EQ(rendered("{{ 1.0 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 1e300 }}"),
            "1.0 0.30000000000000004 1e+16 1000000000000000.0 1e-05 0.0001 -0.0 1e+300");
  EXPECT_EQ(rendered("{{ 'inf' | float }} {{ 'nan' | float }} {{ 123456789012345680.0 }}"),
            "inf nan 1.2345678901234568e+17");
}

TEST(TemplateFormatTest, WritesContainersAsPythonDoes) {
  EXPECT_EQ(rendered("{{ x }}", R"({"x": [1, "a", null, true, 1.5, {"k": "it's"}, "\"'\n\t\u0001é\u200b"]})"),
            R"([1, 'a', None, True, 1.5, {'k': "it's"}, '"\'\n\t\x01é\u200b'])");
}

TEST(TemplateFormatTest, RefusesWhatIsOnlyGoneThrough) {
  for (const auto* value :
       {"[1] | map('string')", "{}.items()", "{'a': 1}.keys()", "range(3)", "namespace(a=1)", "[range(1)]"})
    EXPECT_TRUE(refused("{{ " + std::string(value) + " }}")) << value;
}

TEST(TemplateFormatTest, RefusesSelfReferences) {
  EXPECT_TRUE(exceeds("{% set x = [] %}{% set _ = x.append(x) %}{{ x }}"));
}

TEST(TemplateFormatTest, WritesJsonAsJinjaDoes) {
  EXPECT_EQ(rendered("{{ x | tojson }}", R"({"x": {"b": [1, 2.0, null, true], "a": "<é'&>\u0001"}})"),
            R"({"a": "\u003c\u00e9\u0027\u0026\u003e\u0001", "b": [1, 2.0, null, true]})");
  EXPECT_EQ(rendered("{{ {'a': [1], 'b': {}} | tojson(indent=2) }}"), "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}");
  EXPECT_EQ(rendered("{{ '😀' | tojson }}"), R"("\ud83d\ude00")");
}

TEST(TemplateFormatTest, WritesJsonAsChatTemplatesDo) {
  EXPECT_EQ(testing::rendered_as_chat("{{ x | tojson }}{{ x | tojson(separators=(',', ':'), sort_keys=true) }}",
                                      R"({"x": {"b": "<é>", "a": 1}})"),
            R"({"b": "<é>", "a": 1}{"a":1,"b":"<é>"})");
}

TEST(TemplateFormatTest, RefusesWhatIsNoJson) { EXPECT_TRUE(refused("{{ x | tojson }}")); }

}  // namespace
}  // namespace ctxmgr
