#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateAttributePathTest, FollowsDotsAndIndexes) {
  EXPECT_EQ(rendered("{{ x | map(attribute='a.0.b') | list }}{{ x | map(attribute='q.r', default='-') | list }}",
                     R"({"x": [{"a": [{"b": 1}]}]})"),
            "[1]['-']");
}

}  // namespace
}  // namespace ctxmgr
