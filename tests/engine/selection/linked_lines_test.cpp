#include "engine/selection/linked_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/selection/query.hpp"
#include "engine/selection/relevance.hpp"

namespace ctxmgr::engine {
namespace {

const std::string towns = "town,river,sheet\nLinz,Danube,K17\nGraz,Mur,K18\nWels,Traun,K19\n";
const std::string sheets = "sheet,year,scale\nK17,1907,25000\nK18,1911,25000\nK19,1914,25000\n";

std::string log_of(int lines) {
  std::string log;
  for (int i = 0; i < lines; ++i)
    log += "2026-03-01T08:00:" + std::to_string(10 + i) + "Z INFO request r" + std::to_string(100 + i) + " served\n";
  return log;
}

// The lines that are joined to what a question asks for in some tables and logs.
std::vector<std::string> lines_joined(const std::vector<std::string>& texts, const std::string& question) {
  TextIndex index;
  for (const std::string& text : texts) index.append({text});
  const std::vector<IndexSlice> slices{{&index, 0, index.size(), {}, {}}};
  const Corpus corpus(slices);
  const Query query(corpus, question, {}, {});
  std::vector<std::vector<double>> asked;
  for (std::size_t i = 0; i < texts.size(); ++i) asked.push_back(match_atoms(*index.item(i), query.asked()));
  std::vector<AskedItem> items;
  for (std::size_t i = 0; i < texts.size(); ++i) items.push_back({index.item(i), &asked[i]});
  std::vector<std::string> lines;
  for (const LinePlace& line : joined_lines(items, query.total())) {
    const Atom& atom = index.item(line.item)->atoms[line.atom];
    lines.push_back(texts[line.item].substr(atom.begin, atom.end - atom.begin));
  }
  return lines;
}

TEST(JoinedLinesTest, ACodeLeadsToTheRowOfAnotherTable) {
  EXPECT_EQ(lines_joined({towns, sheets}, "Of which year is the map of Graz?"),
            std::vector<std::string>{"K18,1911,25000"});
}

TEST(JoinedLinesTest, TheLinesOfOneRequestBelongTogether) {
  const std::string accepted = "2026-03-01T08:01:10Z INFO order 5164 accepted req=9f31c7\n";
  const std::string failed = "2026-03-01T08:01:44Z ERROR storage timeout req=9f31c7";
  EXPECT_EQ(lines_joined({log_of(20) + accepted + log_of(20) + failed + "\n"}, "What became of order 5164?"),
            std::vector<std::string>{failed});
}

TEST(JoinedLinesTest, AWordThatManyLinesShareJoinsNothing) {
  std::string regions = "region,town,rain\n";
  for (int i = 0; i < 12; ++i) regions += "Tyrol,town" + std::to_string(i) + "," + std::to_string(900 + i) + "\n";
  EXPECT_TRUE(lines_joined({regions}, "How much rain does town7 get?").empty());
}

TEST(JoinedLinesTest, AQuestionThatNoLineAnswersJoinsNothing) {
  EXPECT_TRUE(lines_joined({towns, sheets}, "How do tides and currents move the sediment of an estuary?").empty());
  EXPECT_TRUE(lines_joined({log_of(20)}, "request").empty());
}

TEST(JoinedLinesTest, ProseIsNotJoined) {
  EXPECT_TRUE(
      lines_joined({"Graz lies on the Mur. Its map is K18.", "Map K18 was drawn in 1911."}, "the map of Graz").empty());
}

TEST(JoinedLinesTest, LinesOfLogsAndRowsOfTablesStandAlone) {
  TermAnalyzer analyzer;
  const ItemAnalysis table = analyze_item({towns}, analyzer);
  const ItemAnalysis prose = analyze_item({"Graz lies on the Mur."}, analyzer);
  EXPECT_TRUE(stands_alone(table, table.atoms.back()));
  EXPECT_FALSE(stands_alone(prose, prose.atoms.back()));
}

}  // namespace
}  // namespace ctxmgr::engine
