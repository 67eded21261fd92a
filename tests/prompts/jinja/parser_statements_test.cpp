#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateStatementTest, ReadsColonsAfterTags) { EXPECT_EQ(rendered("{% if true: %}a{% endif %}"), "a"); }

TEST(TemplateStatementTest, SaysWhatIsNotSupported) {
  EXPECT_EQ(rendered("a\n{% print 1 %}"), "error: invalid_argument: line 2, column 4: 'print' is not supported");
  EXPECT_EQ(rendered("{% call m() %}{% endcall %}"),
            "error: invalid_argument: line 1, column 4: 'call' is not supported");
  EXPECT_EQ(rendered("{% autoescape false %}{% endautoescape %}"),
            "error: invalid_argument: line 1, column 4: 'autoescape' is not supported");
  EXPECT_EQ(rendered("{% for i in x recursive %}{% endfor %}"),
            "error: invalid_argument: line 1, column 15: 'recursive' is not supported");
  EXPECT_EQ(rendered("{{ f(*a) }}"),
            "error: invalid_argument: line 1, column 6: '*' before an argument is not supported");
}

TEST(TemplateStatementTest, InAChatWhatAModelLearnsFromIsAScope) {
  using testing::rendered_as_chat;
  EXPECT_EQ(rendered_as_chat("{% set a = 1 %}{% generation %}{% set a = 2 %}{{ a }}{% endgeneration %}{{ a }}"), "21");
  EXPECT_TRUE(refused("{% generation %}{% endgeneration %}"));
}

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
