#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateDataTest, KeepsTypesAndOrder) {
  EXPECT_EQ(rendered("{{ x }}", R"({"x": {"b": 1, "a": [1.0, -0.0, 1e2, true, null, "s"]}})"),
            "{'b': 1, 'a': [1.0, -0.0, 100.0, True, None, 's']}");
}

TEST(TemplateDataTest, NamesThePlaceOfWhatItCannotHold) {
  EXPECT_EQ(rendered("", R"({"a/b": [1, 18446744073709551615]})"),
            "error: limit_exceeded: data: /a~1b/1: an integer of more than 64 bits is not supported");
  EXPECT_EQ(rendered("", "[1]"), "error: invalid_argument: data: expected an object");
  EXPECT_EQ(rendered("", "{").rfind("error: invalid_argument: data: ", 0), 0U);
}

TEST(TemplateDataTest, ReadsEscapesAndNumbers) {
  EXPECT_EQ(
      rendered("{{ x }}", R"( { "x" : [ "a\"\\\/\n\u00e9\ud83d\ude00" , -1 , 0.5e1 , 1e18 , true , null , { } ] } )"),
      "['a\"\\\\/\\né😀', -1, 5.0, 1e+18, True, None, {}]");
}

TEST(TemplateDataTest, SaysWhatIsWrongWithIt) {
  for (const auto* data :
       {R"({"a": 01})", R"({"a": 1,})", R"({"a": "\ud800"})", R"({"a": 1, "a": 2})", R"({"a": 1} x)",
        "{\"a\": \"\x01\"}", "{\"a\": \"\xFF\"}", R"({"a": 1e999})", R"({"a": tru})", R"({"a": -})", R"({"a")"}) {
    EXPECT_EQ(rendered("", data).rfind("error: invalid_argument: data: ", 0), 0U) << data << rendered("", data);
  }
  EXPECT_EQ(rendered("{{ a }}", "\xEF\xBB\xBF{\"a\": 1}"), "1");
}

TEST(TemplateDataTest, BoundsDepth) {
  std::string deep = "{\"a\": ";
  for (int i = 0; i < 70; ++i) deep += "[";
  EXPECT_EQ(rendered("", deep).rfind("error: invalid_argument: data: ", 0), 0U);
}

}  // namespace
}  // namespace ctxmgr
