#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateTextFilterTest, IndentsAndTruncates) {
  EXPECT_EQ(rendered("{{ 'a\\nb\\n\\nc' | indent(2) }}"), "a\n  b\n\n  c");
  EXPECT_EQ(rendered("{{ 'a\\nb' | indent('> ', true) }}"), "> a\n> b");
  EXPECT_EQ(rendered("{{ 'hello wonderful world' | truncate(12) }}|{{ 'hello world' | truncate(6, true, leeway=0) }}"),
            "hello...|hel...");
}

TEST(TemplateTextFilterTest, Joins) {
  EXPECT_EQ(
      rendered("{{ [1, 'a', none] | join('-') }}{{ x | join(', ', attribute='n') }}", R"({"x": [{"n": 1}, {"n": 2}]})"),
      "1-a-None1, 2");
}

}  // namespace
}  // namespace ctxmgr
