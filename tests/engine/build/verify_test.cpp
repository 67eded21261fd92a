#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::words;

class BuildVerifyTest : public testing::BuildTest {};

TEST_F(BuildVerifyTest, ExcerptsThatCountMoreTogetherBecomeFewer) {
  options_.token_counters = {make_token_counter([](std::string_view text) {
    const auto bytes = static_cast<std::int64_t>(text.size());
    return bytes / 4 + (bytes > 1'500 ? bytes / 40 : 0);  // A long text counts more than its parts.
  })};
  for (int i = 0; i < 200; ++i)
    say(i % 2 == 0 ? Role::user : Role::assistant, "invoice " + std::to_string(i) + " " + words(10));
  say(Role::user, "Which invoice?");
  const auto built = build(1'000);
  ASSERT_TRUE(built);
  EXPECT_GE(built->metadata.input_tokens_used, 850);
  EXPECT_LE(built->metadata.input_tokens_used, 1'000);
}

}  // namespace
}  // namespace ctxmgr
