#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplatePercentFormatTest, FormatsAsPythonDoes) {
  EXPECT_EQ(rendered("{{ '%s|%5d|%-4s|%05.1f|%x|%%' | format('a', 3, 'b', 2.25, 255) }}"), "a|    3|b   |002.2|ff|%");
  EXPECT_EQ(rendered("{{ '%(a)s-%(b)r' % {'a': 1, 'b': 'x'} }} {{ '%g %e' % (0.5, 12.0) }}"), "1-'x' 0.5 1.200000e+01");
  EXPECT_TRUE(refused("{{ '%d' % 'a' }}"));
  EXPECT_TRUE(refused("{{ '%s %s' % 'a' }}"));
  EXPECT_TRUE(refused("{{ 'a' % 1 }}"));
}

TEST(TemplateBraceFormatTest, FormatsAsPythonDoes) {
  EXPECT_EQ(rendered("{{ '{} {1}'.format(1) }}").rfind("error", 0), 0U);
  EXPECT_EQ(rendered("{{ '{}-{:>4}-{:.2f}-{:,}-{!r}-{{}}'.format(1, 'a', 2.0, 1234567, 'q') }}"),
            "1-   a-2.00-1,234,567-'q'-{}");
  EXPECT_EQ(rendered("{{ '{a}{0}'.format(1, a=2) }}"), "21");
}

TEST(TemplateBraceFormatTest, ReachesNoAttributes) {
  EXPECT_TRUE(refused("{{ '{0.__class__}'.format(1) }}"));
  EXPECT_TRUE(refused("{{ '{0[0]}'.format([1]) }}"));
}

}  // namespace
}  // namespace ctxmgr
