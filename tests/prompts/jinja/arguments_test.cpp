#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateArgumentsTest, RefusesWhatPythonWould) {
  for (const auto* source :
       {"{{ 'a'.upper(1) }}", "{{ 'a'.replace('a') }}", "{{ 'a'.split(sep=',', nope=1) }}",
        "{{ 'a'.replace(old='a', new='b') }}", "{{ [1] | join('a', d='b') }}", "{{ 'a' | indent([]) }}"}) {
    EXPECT_TRUE(refused(source)) << source;
  }
  EXPECT_EQ(rendered("{{ 'a,b'.split(sep=',') }}"), "['a', 'b']");
}

}  // namespace
}  // namespace ctxmgr
