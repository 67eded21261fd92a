#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLoopVariableTest, CountsFromBothEnds) {
  EXPECT_EQ(rendered("{% for i in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ "
                     "loop.first }}{{ loop.last }} {% endfor %}"),
            "1032TrueFalse 2121FalseFalse 3210FalseTrue ");
}

TEST(TemplateLoopVariableTest, LooksAroundAndAhead) {
  EXPECT_EQ(
      rendered("{% for i in [1, 2] %}[{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }}]{{ loop.length }}{% endfor %}"),
      "[<1>2]2[1<2>]2");
  EXPECT_EQ(rendered("{% for i in [1, 2, 3] | select %}{{ loop.nextitem }}{{ loop.length }}{{ i }},{% endfor %}"),
            "231,332,33,");
}

TEST(TemplateLoopVariableTest, NeverGivesWhatAFilterTookOut) {
  const auto* const body = "{{ i }}{{ loop.last }}{{ loop.nextitem }},{% endfor %}";
  const auto looped = [&](const std::string& of) { return rendered("{% for i in " + of + " %}" + body); };
  EXPECT_EQ(looped("[1, 2, 3] if i < 3"), "1False2,2True,");
  EXPECT_EQ(looped("[1, 2, 0] | select"), "1False2,2True,");
  EXPECT_EQ(looped("[1, 2, 4, 7] | reject('odd')"), "2False4,4True,");
  EXPECT_EQ(looped("[3, 2, 3] | unique"), "3False2,2True,");
  EXPECT_EQ(rendered("{% for i in [{'a': 1}, {'a': 0}] | selectattr('a') %}{{ i }}{{ loop.last }}{% endfor %}"),
            "{'a': 1}True");
  EXPECT_EQ(rendered("{% for i in [{'a': 0}, {'a': 1}] | rejectattr('a') %}{{ i }}{{ loop.last }}{% endfor %}"),
            "{'a': 0}True");
}

}  // namespace
}  // namespace ctxmgr
