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
  for (const auto* source :
       {"{{ x.__class__ }}", "{{ x['__class__'] }}", "{{ [x] | map(attribute='__init__') | list }}", "{{ self }}",
        "{{ range.__globals__ }}", "{{ lipsum() }}", "{{ [].__class__.__base__ }}",
        "{{ x | map(attribute='__class__') | list }}"}) {
    EXPECT_TRUE(refused(source, R"({"x": "a"})")) << source;
  }
}

TEST(TemplateRendererTest, WhatNeverEndsEndsAtALimit) {
  const auto often = [](const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  for (const std::string& hostile :
       {std::string("{{ range(1000000000) | list }}"), std::string("{{ 'a' * 1000000000 }}"),
        std::string("{{ [1] * 1000000000 }}"), std::string("{{ ('a' * 1000000) * 1000000 }}"),
        std::string("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
        std::string("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}"),
        std::string("{% set ns = namespace(t='ab') %}{% for i in range(99) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}"),
        std::string("{% set l = [0] %}{% for i in l %}{% set _ = l.append(i) %}{% endfor %}"),
        often("{% for i in range(99999) %}", 5) + "x" + often("{% endfor %}", 5), often("(", 60'000) + "1",
        "{{ " + often("(", 60'000) + "1" + often(")", 60'000) + " }}", "{{ " + often("[", 60'000) + " }}",
        "{{ " + often("not ", 50'000) + "x }}", "{{ x" + often(".a", 60'000) + " }}",
        often("{% if x %}", 20'000) + often("{% endif %}", 1)}) {
    const auto text = rendered(hostile, R"({"x": 1, "l": [1]})");
    const bool ends = text.rfind("error: ", 0) == 0 || hostile[0] == '(';
    EXPECT_TRUE(ends) << hostile.substr(0, 80);
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
