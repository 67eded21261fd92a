#include <string>
#include <string_view>

#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateHeapTest, FreesCyclesAndDeepNesting) {
  EXPECT_EQ(rendered("{% set ns = namespace(v=[]) %}{% for i in range(20000) %}{% set ns.v = [ns.v] %}{% endfor %}"
                     "{% set _ = ns.v.append(ns) %}{% set ns.m = ns %}done"),
            "done");
}

TEST(TemplateHeapTest, CountsAllThatARenderingMakes) {
  TemplateOptions options;
  options.max_memory_bytes = 1 << 20;
  const std::string loop = "{% for i in range(n) %}{% set x = 'a' * 10000 %}{% endfor %}ok";
  EXPECT_EQ(rendered(loop, R"({"n": 100})", options), "ok");
  EXPECT_EQ(rendered(loop, R"({"n": 110})", options).rfind("error: limit_exceeded: line 1, column ", 0), 0U);
}

TEST(TemplateHeapTest, HasRoomForWhatTheStepsAllow) {
  EXPECT_EQ(rendered("{% set ns = namespace(t='') %}{% for i in range(900) %}{% set ns.t = ns.t ~ x %}{% endfor %}"
                     "{{ ns.t | length }}",
                     R"({"x": ")" + std::string(130, 'a') + R"("})"),
            "117000");
}

/// The fewest steps with which a template gets as far as it can.
std::size_t steps_of(const std::string& source, const std::string& data) {
  const auto passes = [&](std::size_t steps) {
    TemplateOptions options;
    options.max_steps = steps;
    const std::string text = rendered(source, data, options);
    return text.rfind("error: limit_exceeded", 0) != 0;
  };
  std::size_t low = 0;
  std::size_t high = 4'000'000;
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (passes(middle) ? high : low) = middle;
  }
  return high;
}

/// What an expression over the text `x` costs beside having it.
class TemplateStepsTest : public ::testing::Test {
 protected:
  std::size_t steps(const std::string& expression) const {
    const std::size_t without = steps_of("{% set r = x %}{% set r = y %}", data_);
    return steps_of("{% set r = x %}{% set r = y %}{% set r = " + expression + " %}", data_) - without;
  }

  static constexpr std::size_t bytes_ = 128'000;
  const std::string data_ =
      R"({"x": ")" + std::string(bytes_, 'a') + R"(", "y": ")" + std::string(bytes_ / 2, 'a') + R"(b"})";
};

TEST_F(TemplateStepsTest, WhatReadsATextPaysForItsLength) {
  for (const char* expression : {"x|int",
                                 "x|float",
                                 "x|upper",
                                 "x|title",
                                 "x|trim('a')",
                                 "x|replace(y, '')",
                                 "x|reverse",
                                 "x is upper",
                                 "x is lower",
                                 "x.strip()",
                                 "x.strip('a')",
                                 "x.lstrip(y)",
                                 "x.split(y)",
                                 "x.split()",
                                 "x.replace(y, '')",
                                 "x.startswith(y)",
                                 "x.endswith(y[:-1])",
                                 "y in x",
                                 "x == x[1:] ~ 'a'",
                                 "x is eq(x[1:] ~ 'a')",
                                 "x < x ~ 'b'",
                                 "[x] == [x[1:] ~ 'a']",
                                 "{x: 1}",
                                 "{}[x]",
                                 "{}.get(x)",
                                 "[1]|map('replace', x, x)|list",
                                 "[1]|sort(attribute=x)"}) {
    EXPECT_GE(steps(expression), bytes_ / 128) << expression;
  }
}

TEST_F(TemplateStepsTest, WhatReadsOnlyAnEndOfATextDoesNot) {
  for (const char* expression : {"x is string", "x is defined", "x|default('')", "x|length", "x.startswith('ab')",
                                 "x.endswith('b')", "x|first", "x == y", "x < 'b'", "[x]|last", "[].append(x)"}) {
    EXPECT_LE(steps(expression), 32U) << expression;
  }
}

TEST_F(TemplateStepsTest, ALongSearchTakesItsTimeOnce) {
  // Each of these took the product of the lengths: with these texts, minutes.
  const std::string text = "{% set x = 'a' * 4000000 %}{% set y = 'a' * 2000000 ~ 'b' %}";
  EXPECT_EQ(rendered(text + "{{ y in x }}{{ x.split(y)|length }}"), "False1");
  EXPECT_EQ(rendered(text + "{{ x.strip(y)|length }}"), "0");
}

TEST_F(TemplateStepsTest, PartsOfATextCountAsTheyAreFound) {
  for (const char* parts : {"x.split('a')", "x.split()"}) {
    EXPECT_TRUE(exceeds("{% set x = 'a ' * 8000000 %}{% set r = " + std::string(parts) + " %}")) << parts;
  }
}

TEST_F(TemplateStepsTest, ManyNamesArePaidFor) {
  std::string names;
  for (int i = 0; i < 4'000; ++i) names += "{{ n" + std::to_string(i) + " }}";
  const std::string loop = "{% for i in range(1000) %}{% if false %}" + names + "{% endif %}{% endfor %}";
  EXPECT_TRUE(exceeds(loop + loop));
  EXPECT_TRUE(
      exceeds("{% set ns = namespace(t=()) %}{% for i in range(90) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}"
              "{{ {}.get(ns.t) }}"));
}

}  // namespace
}  // namespace ctxmgr
