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

TEST(EvidenceWantedTest, WhoAsksGetsItsShareInALoop) {
  EXPECT_EQ(evidence_wanted("Which heron was it?", true, share, 4'000), (WantedEvidence{800, 400, 800}));
  EXPECT_EQ(evidence_wanted("Which heron was it?", true, share, 40'000), (WantedEvidence{6'000, 600, 6'000}));
}

TEST(EvidenceWantedTest, WhoAsksInAChatGetsWhatIsFreeAndAtLeastAQuarter) {
  EXPECT_EQ(evidence_wanted("Which heron was it?", false, share, 4'000), (WantedEvidence{4'000, 1'000, 1'000}));
  EXPECT_EQ(evidence_wanted("Which heron was it?", false, 0.5, 4'000), (WantedEvidence{4'000, 2'000, 2'000}));
}

TEST(EvidenceWantedTest, WhoWantsSomethingDoneAsksInAChat) {
  EXPECT_EQ(evidence_wanted("Book the hotel we spoke of.", false, share, 4'000), (WantedEvidence{4'000, 1'000, 1'000}));
  EXPECT_EQ(evidence_wanted("Book the hotel we spoke of.", true, share, 4'000).most, 200);
}

TEST(EvidenceWantedTest, AnIdentifierStandsForAQuestionInALoopAlone) {
  for (const auto* const message : {"size of src/fees.py", "what B07ZD3RC13 cost", "head of parse_line"}) {
    EXPECT_EQ(evidence_wanted(message, true, share, 4'000).most, 800) << message;
    EXPECT_EQ(evidence_wanted(message, false, share, 4'000).most, 200) << message;
  }
}

TEST(EvidenceWantedTest, OtherMessagesGetATwentiethInALoopAndInAChatWhereTheyNameSomething) {
  for (const bool is_loop : {false, true})
    EXPECT_EQ(evidence_wanted("The gluten-free bread was 40.00 crowns.", is_loop, share, 4'000),
              (WantedEvidence{200, 100, 200}));
  EXPECT_EQ(evidence_wanted("Sounds fun, take care!", true, share, 4'000).most, 200);
  EXPECT_EQ(evidence_wanted("Sounds fun, take care!", false, share, 4'000), WantedEvidence{});
}

TEST(EvidenceWantedTest, TheHostsCapHoldsForAllOfIt) {
  HistoryPolicy policy;
  EXPECT_EQ(capped(evidence_wanted("Which heron was it?", false, share, 4'000), policy),
            (WantedEvidence{4'000, 1'000, 1'000}));
  policy.evidence_tokens = 300;
  EXPECT_EQ(capped(evidence_wanted("Which heron was it?", false, share, 4'000), policy),
            (WantedEvidence{300, 300, 300}));
  EXPECT_EQ(capped(evidence_wanted("Which heron was it?", true, share, 4'000), policy),
            (WantedEvidence{300, 300, 300}));
  EXPECT_EQ(capped(200, policy), 200);
}

}  // namespace
}  // namespace ctxmgr::engine
