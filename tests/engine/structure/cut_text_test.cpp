#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/pieces.hpp"

namespace ctxmgr::engine {
namespace {

std::vector<std::string> sentences(std::string_view text) {
  std::vector<Atom> atoms;
  cut_prose(text, 0, atoms);
  return pieces_of(text, atoms);
}

using Sentences = std::vector<std::string>;

TEST(CutProseTest, CutsAfterTheStopAndWhatClosesAQuotation) {
  EXPECT_EQ(
      sentences("\"The audit is over at last.\" Nobody in the room believed it! Was it really over by then?"),
      (Sentences{"\"The audit is over at last.\"", "Nobody in the room believed it!", "Was it really over by then?"}));
}

TEST(CutProseTest, AStopInsideAWordEndsNothing) {
  EXPECT_EQ(sentences("Version 3.14.2 of example.org was released on Monday").size(), 1U);
}

TEST(CutProseTest, AStopOfAnAbbreviationEndsNothing) {
  EXPECT_EQ(sentences("The captain was Mr. J. H. Cook of the U.S. Navy at that time. He sailed (c. 1802) to the north.")
                .size(),
            2U);
  EXPECT_EQ(sentences("they went to the harbour at noon. nobody was there to meet them.").size(), 2U);
  EXPECT_EQ(sentences("Роман написал известный писатель Э. И. Казакевич в том же году.").size(), 1U);
  EXPECT_EQ(sentences("The harbour was opened again in 1802. The pier was built later on.").size(), 2U);
  EXPECT_EQ(sentences("Eine Krankmeldung ist ab dem 31. Tag vorzulegen, das Entgelt ruht.").size(), 1U);
}

TEST(CutProseTest, ShortSentencesGoWithTheNextAndAShortRestWithTheLast) {
  EXPECT_EQ(sentences("Thanks! The invoice came on Monday morning. Right."),
            Sentences{"Thanks! The invoice came on Monday morning. Right."});
}

TEST(CutProseTest, EndsOfLinesAreBlanks) {
  EXPECT_EQ(sentences("The store keeps its values\nin one file. Several processes may\nopen it at once."),
            (Sentences{"The store keeps its values\nin one file.", "Several processes may\nopen it at once."}));
}

TEST(CutProseTest, FullwidthStopsEndSentences) {
  EXPECT_EQ(sentences("这份报告的结论是成本下降了百分之五。下一季度的预算还没有得到批准。").size(), 2U);
}

TEST(CutProseTest, OffsetsCountFromTheBase) {
  std::vector<Atom> atoms;
  cut_prose("A sentence that stands alone.", 100, atoms);
  ASSERT_EQ(atoms.size(), 1U);
  EXPECT_EQ(atoms[0].begin, 100U);
  EXPECT_EQ(atoms[0].end, 129U);
}

TEST(CutProseTest, NothingGivesNothing) {
  EXPECT_TRUE(sentences("").empty());
  EXPECT_TRUE(sentences(" \n ").empty());
}

}  // namespace
}  // namespace ctxmgr::engine
