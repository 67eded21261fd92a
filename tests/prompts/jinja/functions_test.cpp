#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateFilterTest, BindsArgumentsByPositionAndName) {
  EXPECT_EQ(rendered("{{ x | default(default_value='d', boolean=true) }}", R"({"x": ""})"), "d");
  EXPECT_TRUE(refused("{{ 1 | default(1, 2, 3, 4) }}"));
  EXPECT_TRUE(refused("{{ 1 | default(nope=1) }}"));
  EXPECT_TRUE(refused("{{ 1 | replace('a') }}"));
}

TEST(TemplateFilterTest, TellsWhatIsNotSupportedFromWhatIsMisspelt) {
  for (const std::string name :
       {"format", "wordwrap", "urlencode", "pprint", "random", "batch", "groupby", "wordcount"}) {
    for (const std::string& source : {"{{ 'a' | " + name + " }}", "{{ ['a'] | map('" + name + "') | list }}",
                                      "{% filter " + name + " %}a{% endfilter %}"}) {
      const std::string text = rendered(source);
      EXPECT_NE(text.find("the filter '" + name + "' is not supported"), std::string::npos) << source << ": " << text;
    }
  }
  EXPECT_NE(rendered("{{ 1 | uper }}").find("no filter named 'uper'"), std::string::npos);
}

TEST(TemplateFilterTest, FormattingWithAPercentSignIsNotSupported) {
  EXPECT_NE(rendered("{{ '%s' % 'a' }}").find("formatting with % is not supported"), std::string::npos);
  EXPECT_EQ(rendered("{{ 7 % 4 }}"), "3");
}

}  // namespace
}  // namespace ctxmgr
