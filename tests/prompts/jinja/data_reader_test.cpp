#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::rendered;

TEST(TemplateDataReaderTest, ReadsEscapesAndNumbers) {
  EXPECT_EQ(
      rendered("{{ x }}", R"( { "x" : [ "a\"\\\/\n\u00e9\ud83d\ude00" , -1 , 0.5e1 , 1e300 , true , null , { } ] } )"),
      "['a\"\\\\/\\né😀', -1, 5.0, 1e+300, True, None, {}]");
}

TEST(TemplateDataReaderTest, LeavesWhatIsOddToTheParserThatExplainsIt) {
  for (const auto* data : {R"({"a": 01})", R"({"a": 1,})", R"({"a": 1, "a": 2})", R"({"a": 1} x)", "{\"a\": \"\x01\"}",
                           "{\"a\": \"\xFF\"}", R"({"a": 1e999})", R"({"a": tru})", R"({"a": -})", R"({"a")"}) {
    EXPECT_EQ(rendered("", data).rfind("error: invalid_argument: data: ", 0), 0U) << data << rendered("", data);
  }
  EXPECT_EQ(rendered("{{ a }}", "\xEF\xBB\xBF{\"a\": [-0, 1e300]}"), "[0, 1e+300]");
  EXPECT_EQ(rendered("{{ a }}", R"({"a": "\ud800"})"), "\uFFFD") << "half of a surrogate pair is mended";
  EXPECT_EQ(rendered("{{ a }}", R"({"a": "\udc00x\ud800\n\ud800\u0041\ud83d\ude00"})"), "\uFFFDx\uFFFD\n\uFFFDA😀");
  EXPECT_EQ(rendered("{{ a }}", R"({"a": 1e-999})"), "0.0") << "a number that is too small is zero, as in Python";
}

TEST(TemplateDataReaderTest, BoundsDepth) {
  std::string deep = "{\"a\": ";
  for (int i = 0; i < 70; ++i) deep += "[";
  EXPECT_EQ(rendered("", deep).rfind("error: invalid_argument: data: ", 0), 0U);
}

}  // namespace
}  // namespace ctxmgr
