#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateCollectionMethodTest, ChangesLists) {
  EXPECT_EQ(rendered("{% set x = [1] %}{% set _ = x.append(2) %}{{ x }}"), "[1, 2]");
}

TEST(TemplateCollectionMethodTest, ChangesDicts) {
  EXPECT_EQ(rendered("{% set d = {'a': 1} %}{% set _ = d.update({'b': 2}, c=3) %}{{ d }}{{ d.get('z', "
                     "9) }}"),
            "{'a': 1, 'b': 2, 'c': 3}9");
  EXPECT_TRUE(refused("{{ {}.setdefault('q', 4) }}"));
  for (const auto* method :
       {"[].extend([1])", "[1].index(1)", "[1].count(1)", "(1,).index(1)", "[].copy()", "{}.copy()"})
    EXPECT_NE(rendered("{{ " + std::string(method) + " }}").find("' is not supported"), std::string::npos) << method;
  EXPECT_TRUE(refused("{% set d = {'a': 1} %}{% for k in d %}{% set _ = d.update({k ~ 'x': 1}) %}{% endfor %}"));
}

TEST(TemplateCollectionMethodTest, RefusesMethodsThatPythonHasAndThisDoesNot) {
  for (const auto* call :
       {"[1].pop()", "[1].extend([2])", "[1].index(1)", "(1, 2).count(1)", "{}.pop('a')", "{}.copy()"}) {
    const std::string text = rendered("{{ " + std::string(call) + " }}");
    EXPECT_NE(text.find("' is not supported"), std::string::npos) << text;
  }
}

TEST(TemplateCollectionMethodTest, KeepsValuesOfChatTemplatesAsTheyAre) {
  EXPECT_EQ(testing::rendered_as_chat("{% set _ = x.append(2) %}", R"({"x": []})").rfind("error: invalid_argument", 0),
            0U);
}

TEST(TemplateLoopMethodTest, Cycles) {
  EXPECT_EQ(rendered("{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }} {% endfor %}"), "a b a ");
  EXPECT_NE(rendered("{% for i in [1] %}{{ loop.changed(i) }}{% endfor %}").find("'changed' is not supported"),
            std::string::npos);
  EXPECT_TRUE(refused("{% for i in [1] %}{{ loop.cycle() }}{% endfor %}"));
}

TEST(TemplateGlobalTest, BoundsRanges) {
  EXPECT_EQ(rendered("{{ range(5, 0, -2) | list }}{{ range(3) | length }}{{ dict(a=1) }}"), "[5, 3, 1]3{'a': 1}");
  EXPECT_TRUE(exceeds("{{ range(1000000000) | length }}"));
  EXPECT_TRUE(refused("{{ range(1, 2, 0) }}"));
}

}  // namespace
}  // namespace ctxmgr
