#include "ctxmgr/prompts/prompt_template.hpp"

#include <pthread.h>

#include <fstream>
#include <thread>
#include <vector>

#include "core/json/json.hpp"
#include "prompts/jinja/render.hpp"
#include "support/sanitizers.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

std::string repeated(std::string_view unit, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += unit;
  return text;
}

TEST(PromptTemplateTest, RendersTextValues) {
  const auto prompt = PromptTemplate::parse("Hello {{ name | upper }}!");
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->render({{"name", "Ann"}}).value(), "Hello ANN!");
  EXPECT_EQ(prompt->render({{"name", "\xFF"}}).error().code, ErrorCode::invalid_argument);
}

TEST(PromptTemplateTest, RefusesInvalidUtf8AndKeepsAByteOrderMark) {
  EXPECT_EQ(PromptTemplate::parse("a\xFF").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(rendered("\xEF\xBB\xBFx"), "\xEF\xBB\xBFx");
}

TEST(PromptTemplateTest, BoundsTheSource) {
  EXPECT_EQ(PromptTemplate::parse(std::string((256 << 10) + 1, 'a')).error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(rendered(std::string(200'000, 'a')).size(), 200'000U);
}

TEST(PromptTemplateTest, EndsWhatWouldNotEnd) {
  for (const auto* source :
       {"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", "{{ 'a' * 1000000000 }}",
        "{{ [0] * 1000000000 }}", "{{ range(99999) | list * 9999 }}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(64) %}{% set ns.s = ns.s | replace('a', 'aaaa') %}{% "
        "endfor %}",
        "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(64) %}{% set ns.s = ns.s | list | join(ns.s) %}{% "
        "endfor %}",
        "{{ 'a' | indent(999999999) }}", "{% for i in range(99999) %}{{ 'x' * 999 }}{% endfor %}",
        "{% set x = [1] %}{% for i in x %}{% set _ = x.append(i) %}{% endfor %}",
        "{{ [1] | tojson(indent=99999999) }}"}) {
    EXPECT_TRUE(exceeds(source)) << source << rendered(source).substr(0, 200);
  }
}

TEST(PromptTemplateTest, RefusesDeepNesting) {
  for (const int depth : {100, 100'000}) {
    EXPECT_TRUE(exceeds("{{ " + repeated("(", depth) + repeated(")", depth) + " }}")) << depth;
    EXPECT_TRUE(exceeds("{{ " + repeated("[", depth) + repeated("]", depth) + " }}")) << depth;
    EXPECT_TRUE(exceeds("{{ " + repeated("-", depth) + "1 }}")) << depth;
    EXPECT_TRUE(exceeds("{{ " + repeated("not ", depth / 2 + 100) + "1 }}")) << depth;
    EXPECT_TRUE(exceeds("{{ a" + repeated(".b", depth + 200) + " }}")) << depth;
    EXPECT_TRUE(exceeds("{{ 1" + repeated("+1", depth + 200) + " }}")) << depth;
  }
  EXPECT_TRUE(exceeds(repeated("{% if a %}", 5000)));
  EXPECT_TRUE(exceeds(repeated("{% filter upper %}", 5000)));
}

TEST(PromptTemplateTest, AcceptsNestingUpToTheLimit) {
  EXPECT_EQ(rendered("{{ " + repeated("(", 30) + "1" + repeated(")", 30) + " }}"), "1");
  EXPECT_EQ(rendered(repeated("{% if true %}", 50) + "x" + repeated("{% endif %}", 50)), "x");
}

TEST(PromptTemplateTest, CountsOutputAndSteps) {
  TemplateOptions options;
  options.max_output_bytes = 10;
  EXPECT_EQ(rendered("{{ 'a' * 10 }}", "{}", options), "aaaaaaaaaa");
  EXPECT_EQ(rendered("{{ 'a' * 11 }}", "{}", options),
            "error: limit_exceeded: line 1, column 8: the output is too long");
  options.max_output_bytes = 1000;
  options.max_steps = 50;
  EXPECT_EQ(rendered("{% for i in range(99) %}{% endfor %}", "{}", options).rfind("error: limit_exceeded", 0), 0U);
}

TEST(PromptTemplateTest, RendersAsChatTemplatesExpect) {
  EXPECT_EQ(testing::rendered_as_chat("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\nb\nc");
  EXPECT_EQ(rendered("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\n  \nb\n  \nc\n");
}

// The deepest things that are accepted, and those that are not, on a stack as small as musl's.
void* render_deeply(void* failures) {
  const std::string nested = "{{ " + repeated("(", 30) + "1" + repeated(")", 30) + " }}";
  const std::string blocks = repeated("{% if true %}", 50) + "x" + repeated("{% endif %}", 50);
  const std::string recursive =
      "{% macro m(n) %}{% if n %}{% for i in [1] %}{{ m(n - 1) ~ (1 if [n] else (2, 3)) }}"
      "{% endfor %}{% endif %}{% endmacro %}{{ m(60) | length }}{{ m(70) }}";
  const std::string chain = "{{ 1" + repeated("+1", 150) + " }}";
  const std::string values =
      "{% set ns = namespace(v=[]) %}{% for i in range(5000) %}{% set ns.v = [ns.v] %}{% endfor %}{{ ns.v }}";
  auto& count = *static_cast<int*>(failures);
  count += rendered(nested) == "1" ? 0 : 1;
  count += rendered(blocks) == "x" ? 0 : 1;
  count += exceeds(recursive) ? 0 : 1;
  count += rendered(chain) == "151" || exceeds(chain) ? 0 : 1;
  count += exceeds(values) ? 0 : 1;
  count += exceeds("{{ " + repeated("(", 100'000) + repeated(")", 100'000) + " }}") ? 0 : 1;
  return nullptr;
}

TEST(PromptTemplateTest, NeedsLittleStack) {
#if CTXMGR_INSTRUMENTED
  constexpr std::size_t stack_bytes = 1024 * 1024;
#else
  constexpr std::size_t stack_bytes = 128 * 1024;
#endif
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  int failures = 0;
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, render_deeply, &failures), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(failures, 0);
}

TEST(PromptTemplateThreadsTest, RendersFromManyThreads) {
  const auto prompt = PromptTemplate::parse(
      "{% macro m(x) %}{{ x ~ 'é' }}{% endmacro %}{% for i in range(20) %}{{ m(i) | upper }}{{ 'lit' }}{% endfor %}{{ "
      "v }}");
  ASSERT_TRUE(prompt);
  const std::string expected = prompt->render({{"v", "1"}}).value();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&prompt, &expected, &wrong, t] {
      for (int i = 0; i < 50; ++i) wrong[t] += prompt->render({{"v", "1"}}).value() == expected ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// Cases that live outside of the project: {"name", "template", "context", "expected"}, an error where that begins "!!ERR".
TEST(PromptTemplateTest, PassesTheCasesOfTheEvaluationData) {
  const char* folder = std::getenv("CTXMGR_EVAL_DATA");
  std::ifstream file(std::string(folder != nullptr ? folder : ".") + "/jinja-cases.json");
  if (folder == nullptr || !file) GTEST_SKIP() << "CTXMGR_EVAL_DATA names no folder with jinja-cases.json";
  const auto cases = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(cases);
  for (const Json& item : *cases) {
    const std::string expected = item["expected"].string();
    const std::string actual = rendered(item["template"].string(), dump_json(item["context"]));
    if (expected.rfind("!!ERR", 0) == 0) {
      EXPECT_EQ(actual.rfind("error: ", 0), 0U) << item["name"].string();
    } else {
      EXPECT_EQ(actual, expected) << item["name"].string();
    }
  }
}

}  // namespace
}  // namespace ctxmgr
