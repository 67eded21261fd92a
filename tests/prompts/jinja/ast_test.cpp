#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateProgramTest, OutlivesTheSourceAndTheFirstRendering) {
  auto source = std::string("{{ 'lit' }}{{ x }}");
  const auto prompt = PromptTemplate::parse(source);
  source.assign(source.size(), '?');
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->render_json(R"({"x": 1})").value(), "lit1");
  EXPECT_EQ(prompt->render_json(R"({"x": 2})").value(), "lit2");
}

}  // namespace
}  // namespace ctxmgr
