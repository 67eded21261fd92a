#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateTestTest, TellsTypesApart) {
  EXPECT_EQ(rendered("{{ true is number }}{{ true is integer }}{{ 1.0 is float }}{{ 'a' is sequence }}{{ {} is mapping "
                     "}}{{ range(1) is sequence }}"),
            "TrueFalseTrueTrueTrueTrue");
  EXPECT_EQ(rendered("{{ [] | map('upper') is iterable }}{{ none is none }}{{ false is false }}{{ 1 is true }}"),
            "TrueTrueTrueFalse");
}

TEST(TemplateTestTest, Compares) {
  EXPECT_EQ(rendered("{{ 3 is odd }}{{ 4 is divisibleby 2 }}{{ 1 is eq 1 }}{{ 2 is gt 1 }}{{ 'a' is in 'abc' }}"),
            "TrueTrueTrueTrueTrue");
}

TEST(TemplateTestTest, TellsWhatIsNotSupportedFromWhatIsMisspelt) {
  for (const std::string name : {"callable", "escaped", "filter", "lower", "sameas", "test", "upper"}) {
    EXPECT_EQ(rendered("{{ 'a' is " + name + " }}"),
              "error: invalid_argument: line 1, column 8: the test '" + name + "' is not supported");
    EXPECT_NE(rendered("{{ ['a'] | select('" + name + "') | list }}").find("is not supported"), std::string::npos);
  }
  EXPECT_NE(rendered("{{ 1 is strin }}").find("no test named 'strin'"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr
