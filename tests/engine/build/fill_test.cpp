#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::contains;
using testing::words;

class BuildFillTest : public testing::BuildTest {};

TEST_F(BuildFillTest, TheIndexSaysHowManyMoreThereAre) {
  say(Role::user, "question");
  for (int i = 0; i < 200; ++i) attach("document_" + std::to_string(i), words(150));
  request_.archive = std::make_shared<testing::SpyArchive>();
  const auto built = build(4'500);
  ASSERT_TRUE(built);
  EXPECT_TRUE(contains(testing::all_text(built->messages), " more\n"));
}

TEST_F(BuildFillTest, NothingIsListedThatCannotBeRead) {
  say(Role::user, "question");
  for (int i = 0; i < 200; ++i) attach("document_" + std::to_string(i), words(150));
  const auto built = build(4'500);
  ASSERT_TRUE(built);
  EXPECT_FALSE(contains(testing::all_text(built->messages), "Not whole"));
  EXPECT_FALSE(contains(testing::all_text(built->messages), " more\n"));
}

TEST_F(BuildFillTest, ExcerptsOfMaskedResultsGiveWayBeforeMessagesDo) {
  say(Role::user, "Find the zebra clause.");
  for (int i = 0; i < 12; ++i) {
    add(testing::tool_call("c" + std::to_string(i)));
    add(testing::tool_result("c" + std::to_string(i), "zebra clause " + words(80)));
  }
  for (std::int64_t budget = 300; budget < 2'000; budget += 50) {
    const auto built = build(budget);
    ASSERT_TRUE(built) << budget;
    EXPECT_LE(built->metadata.input_tokens_used, budget);
  }
}

}  // namespace
}  // namespace ctxmgr
