#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateValueTest, HoldsOneKeyForEqualNumbers) {
  EXPECT_EQ(rendered("{{ {1: 'a', 1.0: 'b', true: 'c', '1': 'd'} }}{{ {(1, 2): 3}[(1, 2)] }}"), "{1: 'c', '1': 'd'}3");
  EXPECT_TRUE(refused("{{ {[]: 1} }}"));
}

TEST(TemplateValueTest, FindsKeysInLargeDicts) {
  EXPECT_EQ(rendered("{% set d = {} %}{% for i in range(500) %}{% set _ = d.update({i ~ 'k': i}) %}{% endfor %}"
                     "{{ d | length }}{{ d['499k'] }}[{{ d['500k'] }}]"),
            "500499[]");
}

}  // namespace
}  // namespace ctxmgr
