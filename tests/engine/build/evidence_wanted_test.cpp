#include "engine/build/evidence_wanted.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

constexpr double share = 0.15;

TEST(EvidenceWantedTest, SmallRoomsHaveALargerShare) {
  EXPECT_EQ(most_evidence(share, 0), 0);
  EXPECT_EQ(most_evidence(share, 4'000), 800);
  EXPECT_EQ(most_evidence(share, 7'000), 1'200);
  EXPECT_EQ(most_evidence(share, 10'000), 1'500);
  EXPECT_EQ(most_evidence(0.5, 4'000), 2'000);
}

TEST(EvidenceWantedTest, WhoAsksGetsAllOfItInChatsAndLoops) {
  for (const bool is_loop : {false, true})
    EXPECT_EQ(evidence_wanted("Which heron was it?", is_loop, share, 4'000), 800);
}

TEST(EvidenceWantedTest, AnIdentifierStandsForAQuestionInALoopAlone) {
  for (const auto* const message : {"size of src/fees.py", "list what B07ZD3RC13 cost", "head of parse_line"}) {
    EXPECT_EQ(evidence_wanted(message, true, share, 4'000), 800) << message;
    EXPECT_EQ(evidence_wanted(message, false, share, 4'000), 200) << message;
  }
}

TEST(EvidenceWantedTest, OtherMessagesGetATwentiethInALoopAndInAChatWhereTheyNameSomething) {
  EXPECT_EQ(evidence_wanted("Buy gluten-free bread for 40.00 crowns.", true, share, 4'000), 200);
  EXPECT_EQ(evidence_wanted("Buy gluten-free bread for 40.00 crowns.", false, share, 4'000), 200);
  EXPECT_EQ(evidence_wanted("Sounds fun, take care!", true, share, 4'000), 200);
  EXPECT_EQ(evidence_wanted("Sounds fun, take care!", false, share, 4'000), 0);
}

}  // namespace
}  // namespace ctxmgr::engine
