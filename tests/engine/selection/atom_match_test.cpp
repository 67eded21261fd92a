#include "engine/selection/atom_match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ctxmgr::engine {
namespace {

// One item and what a question has of it.
class AtomMatchTest : public ::testing::Test {
 protected:
  AtomMatch match(const std::string& text, Speaker speaker, const std::string& question, std::int64_t room = 10'000) {
    text_ = text;
    ItemText item;
    item.text = text_;
    item.speaker = speaker;
    index_ = {};
    index_.append(item);
    const auto text_of = [this](std::size_t) -> std::string_view { return text_; };
    const std::vector<IndexSlice> slices{{&index_, 0, 1, text_of, {}}};
    const Corpus corpus(slices);
    const SelectionWeights weights;
    const Query query(corpus, question, {}, weights);
    asked_ = query.asked();
    return match_item(*index_.item(0), text_, query, room, weights);
  }

  std::string text_;
  std::vector<QueryTerm> asked_;
  TextIndex index_;
};

TEST_F(AtomMatchTest, TheAtomWithMostOfTheQuestionHasOne) {
  const AtomMatch found = match("The harbour is old.\n\nA crane stands in the harbour.\n\nNothing else is to be said.",
                                Speaker::tool, "Which crane is in the harbour?");
  ASSERT_EQ(found.all.size(), 3U);
  EXPECT_DOUBLE_EQ(found.all[1], 1);
  EXPECT_GT(found.all[0], 0);
  EXPECT_LT(found.all[0], 1);
  EXPECT_DOUBLE_EQ(found.all[2], 0);
}

TEST_F(AtomMatchTest, InADocumentTheSentenceBesideItSharesIt) {
  const std::string text = "It lifts forty tonnes at most.\n\nA crane stands in the harbour.\n\nIt was painted.";
  EXPECT_GT(match(text, Speaker::document, "Which crane?").all[0], 0);
  EXPECT_DOUBLE_EQ(match(text, Speaker::tool, "Which crane?").all[0], 0);
}

TEST_F(AtomMatchTest, AShortTableOrFunctionIsOnePiece) {
  const std::string text =
      "CREATE TABLE ships (\n  ship_id bigint,\n  tonnage bigint\n);\n\n"
      "CREATE TABLE cranes (\n  crane_id bigint,\n  harbour text,\n  lifts numeric\n);\n";
  const AtomMatch found = match(text, Speaker::tool, "Which cranes stand in the harbour?");
  ASSERT_EQ(found.all.size(), 9U);
  for (std::size_t a = 4; a < 9; ++a) EXPECT_GE(found.all[a], 0.5) << a;
  for (std::size_t a = 0; a < 3; ++a) EXPECT_LT(found.all[a], 0.25) << a;
}

TEST_F(AtomMatchTest, OfATableLargerThanTheRoomTheLineThatIsAskedForCounts) {
  const std::string text = "CREATE TABLE cranes (\n  crane_id bigint,\n  harbour text,\n  lifts numeric\n);\n";
  const AtomMatch found = match(text, Speaker::document, "In which harbour?", 12);
  ASSERT_EQ(found.all.size(), 5U);
  EXPECT_DOUBLE_EQ(found.all[2], 1);
  EXPECT_LT(found.all[1], 0.8);
  EXPECT_LT(found.all[3], 0.8);
  EXPECT_GT(match(text, Speaker::tool, "In which harbour?", 1'000).all[3], 0);
  EXPECT_DOUBLE_EQ(match(text, Speaker::tool, "In which harbour?", 12).all[3], 0);
}

TEST_F(AtomMatchTest, ALongFunctionIsItsLines) {
  std::string text = "int harbour() {\n";
  for (int i = 0; i < 160; ++i)
    text += "  step_" + std::string(1, static_cast<char>('a' + i % 26)) + "(" + std::to_string(i) + ");\n";
  const AtomMatch found = match(text + "  raise_crane();\n}\n", Speaker::tool, "Where does it raise the crane?");
  EXPECT_DOUBLE_EQ(found.all[40], 0);
  EXPECT_DOUBLE_EQ(found.all[161], 1);
}

TEST_F(AtomMatchTest, TheFirstReportOfEachKindInAResultIsMarked) {
  const std::string text =
      "12:00:01 INFO up\n12:00:02 ERROR disk 1 full\n12:00:03 ERROR disk 2 full\n12:00:04 INFO on\n";
  EXPECT_EQ(match(text, Speaker::tool, "disk").reports, (std::vector<char>{0, 1, 0, 0}));
  EXPECT_EQ(match(text, Speaker::document, "disk").reports, (std::vector<char>{0, 1, 0, 0})) << "a log is one, too";
  const std::string prose = "The disk is new.\n\nAn error of the disk was seen in May.\n";
  for (const char reports : match(prose, Speaker::document, "disk").reports) EXPECT_EQ(reports, 0);
}

TEST_F(AtomMatchTest, WhatBelongsToAFailureIsReportedWithIt) {
  std::string text;
  for (const char* name : {"Reads", "Writes", "Opens", "Closes"})
    text += "[       OK ] Store." + std::string(name) + " (0 ms)\n";
  text += "store_test.cpp:41: Failure\nExpected: 7\nActual: 5\n[       OK ] Store.Grows (1 ms)\n";
  const AtomMatch found = match(text, Speaker::tool, "Why does it fail?");
  ASSERT_EQ(found.reports.size(), 8U);
  EXPECT_EQ(found.reports, (std::vector<char>{0, 0, 0, 0, 1, 1, 1, 0}));
}

TEST_F(AtomMatchTest, ARowHasNoMoreOfTheQuestionThanThereIs) {
  std::string table = "code\tzone\tcomments\n";
  for (int i = 0; i < 40; ++i) table += "C" + std::to_string(i) + "\tEurope/City" + std::to_string(i) + "\tnoon\n";
  const AtomMatch found = match(table + "NZ\tPacific/Auckland\tNew Zealand time\n", Speaker::document,
                                "Which time zones are there in City7?");
  double total = 0;
  for (const QueryTerm& term : asked_) total += term.value;
  EXPECT_LE(best_match(found.asked), total);
  EXPECT_GT(best_match(found.asked), 0);
}

TEST_F(AtomMatchTest, MembersOfARecordShareWhatItHas) {
  const AtomMatch found = match(R"([{"id": 12, "note": ")" + std::string(120, 'x') + R"(", "status": "late"},)" +
                                    R"({"id": 13, "note": ")" + std::string(120, 'x') + R"(", "status": "paid"}])",
                                Speaker::tool, "status of 13");
  ASSERT_EQ(found.all.size(), 6U);
  EXPECT_GT(found.all[5], found.all[2]);
}

TEST_F(AtomMatchTest, WithoutAWordOfTheQuestionAllHaveNothing) {
  EXPECT_EQ(match("One thing.\n\nAnother thing here.", Speaker::document, "submarine").all,
            (std::vector<double>{0, 0}));
  EXPECT_EQ(best_match({}), 0);
}

TEST_F(AtomMatchTest, WhatIsNestedInARecordIsOfIt) {
  const std::string filler(150, 'x');
  const AtomMatch found =
      match(R"([{"id": 1, "customer": "Ann", "note": ")" + filler + R"(", "to": {"city": "Oslo"}},)" +
                R"({"id": 2, "customer": "Bo", "note": ")" + filler + R"(", "to": {"city": "Turku"}}])",
            Speaker::tool, "Where does the order of Bo go?");
  ASSERT_EQ(found.all.size(), 8U);
  EXPECT_GT(found.all[7], 0);
  EXPECT_DOUBLE_EQ(found.all[3], 0);
}

TEST_F(AtomMatchTest, ARowIsFoundByNamesThatEveryPassageHas) {
  const std::vector<std::string> first{"Aiko", "Bernd", "Chiara", "Dmitri", "Elif", "Farid", "Greta"};
  const std::vector<std::string> last{"Abe", "Brandt", "Conti", "Dorn", "Ekici", "Falk", "Groth", "Haas", "Iva"};
  std::string table = "name\tsalary\tplace\n";
  std::size_t row = 0;
  for (std::size_t i = 0; i < 63; ++i) {
    if (i % 7 == 4 && i % 9 == 5) row = i + 1;
    table += first[i % 7] + " " + last[i % 9] + "\t" + std::to_string(30 + i) + "\t" + std::string(80, 'x') + "\n";
  }
  const AtomMatch found = match(table, Speaker::document, "When did Elif Falk start, and what is the salary?");
  EXPECT_DOUBLE_EQ(found.all[row], 1);
  for (std::size_t a = 1; a < found.all.size(); ++a) EXPECT_TRUE(a == row || found.all[a] < 0.7) << a;
}

TEST_F(AtomMatchTest, ARecordThatReportsAnErrorIsShownWithItsMembers) {
  std::string json = "[";
  for (int i = 0; i < 20; ++i)
    json += (i > 0 ? ", " : "") + std::string(R"({"id": "p)") + std::to_string(i) + R"(", "place": ")" +
            std::string(120, 'x') + R"(", "state": ")" + (i == 7 ? "exception" : "delivered") + R"("})";
  const AtomMatch found = match(json + "]", Speaker::tool, "which one has a problem");
  EXPECT_EQ(found.reports[3 * 7 + 2], 1);
  EXPECT_GE(found.all[3 * 7], 0.5);
  EXPECT_EQ(found.all[3 * 8], 0);
}

}  // namespace
}  // namespace ctxmgr::engine
