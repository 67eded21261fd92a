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

TEST(TemplateHeapTest, CountsWhatIsAliveNotWhatWas) {
  TemplateOptions options;
  options.max_memory_bytes = 1 << 20;
  EXPECT_EQ(rendered("{% for i in range(2000) %}{% set x = 'a' * 10000 %}{% endfor %}ok", "{}", options), "ok");
  EXPECT_EQ(rendered("{% set x = [] %}{% for i in range(2000) %}{% set _ = x.append('a' * 10000) %}{% endfor %}", "{}",
                     options)
                .rfind("error: limit_exceeded", 0),
            0U);
}

}  // namespace
}  // namespace ctxmgr
