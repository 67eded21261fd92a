#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateLoopMethodTest, Cycles) {
  EXPECT_EQ(rendered("{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }} {% endfor %}"), "a b a ");
  EXPECT_NE(rendered("{% for i in [1] %}{{ loop.changed(i) }}{% endfor %}").find("'changed' is not supported"),
            std::string::npos);
  EXPECT_TRUE(refused("{% for i in [1] %}{{ loop.cycle() }}{% endfor %}"));
}

}  // namespace
}  // namespace ctxmgr
