#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateJsonTest, WritesJsonAsJinjaDoes) {
  EXPECT_EQ(rendered("{{ x | tojson }}", R"({"x": {"b": [1, 2.0, null, true], "a": "<é'&>\u0001"}})"),
            R"({"a": "\u003c\u00e9\u0027\u0026\u003e\u0001", "b": [1, 2.0, null, true]})");
  EXPECT_EQ(rendered("{{ {'a': [1], 'b': {}} | tojson(indent=2) }}"), "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}");
  EXPECT_EQ(rendered("{{ '😀' | tojson }}"), R"("\ud83d\ude00")");
}

TEST(TemplateJsonTest, WritesJsonAsChatTemplatesDo) {
  EXPECT_EQ(testing::rendered_as_chat("{{ x | tojson }}{{ x | tojson(separators=(',', ':'), sort_keys=true) }}",
                                      R"({"x": {"b": "<é>", "a": 1}})"),
            R"({"b": "<é>", "a": 1}{"a":1,"b":"<é>"})");
}

TEST(TemplateJsonTest, RefusesWhatIsNoJson) { EXPECT_TRUE(refused("{{ x | tojson }}")); }

}  // namespace
}  // namespace ctxmgr
