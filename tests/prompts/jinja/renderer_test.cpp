#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateRendererTest, RendersTheSeedsExample) {
  EXPECT_EQ(rendered("As a {{agent_role}}: {% if done %}done: {{ done | join(', ') }}.\n{% endif %}",
                     R"({"agent_role": "writer", "done": ["a", "b"]})"),
            "As a writer: done: a, b.\n");
}

TEST(TemplateRendererTest, NeverRendersAValueAgain) {
  const auto* data = R"({"x": "{{ 7 * 7 }}{% raw %}{# c #}", "y": ["{{ x }}"]})";
  EXPECT_EQ(rendered("{{ x }}", data), "{{ 7 * 7 }}{% raw %}{# c #}");
  EXPECT_EQ(rendered("{{ x | replace('7', x) | length }} {{ y }}", data), "79 ['{{ x }}']");
}

TEST(TemplateRendererTest, ReachesNothingButData) {
  for (const auto* source : {"{{ x.__class__ }}", "{{ x['__class__'] }}", "{{ x | attr('__init__') }}", "{{ self }}",
                             "{{ range.__globals__ }}", "{{ lipsum() }}", "{{ [].__class__.__base__ }}",
                             "{{ x | map(attribute='__class__') | list }}"}) {
    EXPECT_TRUE(refused(source, R"({"x": "a"})")) << source;
  }
}

TEST(TemplateRendererTest, MarksTheRunningExpressionInErrors) {
  EXPECT_EQ(rendered("a\n  {{ é }}{{ 1 / n }}", R"({"é": 1, "n": 0})"),
            "error: invalid_argument: line 2, column 15: division by zero");
}

TEST(TemplateRendererTest, KeepsSecretsOutOfMessages) {
  const auto message = rendered("{{ raise_exception(x) }}", R"({"x": "sk-secret"})");
  EXPECT_EQ(message.find("secret"), std::string::npos);
  EXPECT_EQ(rendered("{{ raise_exception('roles must alternate') }}"),
            "error: invalid_argument: line 1, column 19: the template raises an exception: roles must alternate");
}

}  // namespace
}  // namespace ctxmgr
