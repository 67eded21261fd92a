#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStatementTest, ReadsColonsAfterTags) { EXPECT_EQ(rendered("{% if true: %}a{% endif %}"), "a"); }

TEST(TemplateStatementTest, PrintsSeveralExpressions) { EXPECT_EQ(rendered("{% print 1, 'a' %}"), "1a"); }

TEST(TemplateStatementTest, RefusesWhatNeedsOtherTemplates) {
  for (const auto* source : {"{% include 'a' %}", "{% import 'a' as b %}", "{% from 'a' import b %}",
                             "{% extends 'a' %}", "{% block a %}{% endblock %}", "{% include '../../etc/passwd' %}"}) {
    EXPECT_TRUE(refused(source)) << source;
  }
}

TEST(TemplateStatementTest, NamesTheLineOfAMisplacedTag) {
  EXPECT_EQ(rendered("a\nb {% endif %}"),
            "error: invalid_argument: line 2, column 6: an unknown or misplaced tag 'endif'");
  EXPECT_EQ(rendered("{% if a %}\n"),
            "error: invalid_argument: line 2, column 1: a block is not closed: unexpected end of the template");
}

TEST(TemplateStatementTest, RefusesToAssignToConstantsAndLoop) {
  EXPECT_TRUE(refused("{% set none = 1 %}"));
  EXPECT_TRUE(refused("{% for i in [1] %}{% set loop = 1 %}{% endfor %}"));
  EXPECT_TRUE(refused("{% macro m(a, a) %}{% endmacro %}"));
}

TEST(TemplateStatementTest, AllowsNoLoopControlsByDefault) {
  EXPECT_TRUE(refused("{% for i in [1] %}{% break %}{% endfor %}"));
}

}  // namespace
}  // namespace ctxmgr
