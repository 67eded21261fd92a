#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateMarkupFilterTest, EscapesOnce) {
  EXPECT_EQ(rendered("{{ x | e }}{{ x | e | e }}{{ x | e | forceescape }}{{ x | safe | e }}", R"({"x": "<"})"),
            "&lt;&lt;&amp;lt;<");
  EXPECT_EQ(rendered("{{ ('<' | e) is escaped }}{{ ['<' | e] }}"), "True[Markup('&lt;')]");
}

TEST(TemplateMarkupFilterTest, QuotesUrlsAndStripsTags) {
  EXPECT_EQ(
      rendered("{{ 'a b/é?' | urlencode }} {{ {'q': 'a b'} | urlencode }} {{ '<p>a  <b>b</b></p>' | striptags }}"),
      "a%20b/%C3%A9%3F q=a+b a b");
}

}  // namespace
}  // namespace ctxmgr
