#include "engine/extracts/reduction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

struct Reduced {
  Reduced(std::string source, ContentFormat format, double match_of_last = 0) : text(std::move(source)) {
    TermAnalyzer analyzer;
    ItemText item;
    item.text = text;
    item.format = format;
    analysis = analyze_item(item, analyzer);
    std::vector<double> match(analysis.atoms.size(), 0);
    if (!match.empty()) match.back() = match_of_last;
    reduction = reduce(text, analysis, match);
  }
  // The rank of the first unit that has these words.
  Rank rank(std::string_view words) const {
    for (const Unit& unit : reduction.units)
      if (text.substr(unit.begin, unit.end - unit.begin).find(words) != std::string::npos) return unit.rank;
    ADD_FAILURE() << "no unit has " << words;
    return Rank::rest;
  }

  std::string text;
  ItemAnalysis analysis;
  Reduction reduction;
};

TEST(ReductionTest, ALogShowsOneLineOfEachTemplateAndBothEnds) {
  std::string log;
  for (int i = 0; i < 9; ++i) log += "INFO request " + std::to_string(i) + " served\n";
  const Reduced reduced(log + "INFO stopped\n", ContentFormat::log);
  EXPECT_EQ(reduced.rank("request 0"), Rank::framing);
  EXPECT_EQ(reduced.rank("request 1"), Rank::counted);
  EXPECT_EQ(reduced.rank("stopped"), Rank::framing);
  EXPECT_TRUE(reduced.reduction.tallied);
}

TEST(ReductionTest, ErrorsAndWarningsOfALogComeWithWhatStandsBesideThem) {
  std::string log;
  for (int i = 0; i < 30; ++i)
    log += i == 10 ? "WARN disk 10 slow\n" : i == 20 ? "ERROR disk 20 full\n" : "INFO ok " + std::to_string(i) + "\n";
  const Reduced reduced(log, ContentFormat::log);
  EXPECT_EQ(reduced.rank("WARN"), Rank::always);
  EXPECT_EQ(reduced.rank("ERROR"), Rank::always);
  for (const char* beside : {"ok 9", "ok 11", "ok 12", "ok 19", "ok 21"})
    EXPECT_EQ(reduced.rank(beside), Rank::framing);
  EXPECT_EQ(reduced.rank("ok 15"), Rank::counted);
}

TEST(ReductionTest, AnErrorThatRepeatsIsKeptOnceAtLeast) {
  const Reduced reduced("INFO a\nERROR disk 1 full\nINFO b\nINFO c\nINFO d\nERROR disk 2 full\nINFO e\n",
                        ContentFormat::log);
  EXPECT_EQ(reduced.rank("disk 1"), Rank::always);
  EXPECT_EQ(reduced.rank("disk 2"), Rank::framing);
}

TEST(ReductionTest, RecordsOfAJsonArrayAreUnitsWithTheirBraces) {
  std::string json = R"({"total": 20, "rows": [)";
  for (int i = 0; i < 20; ++i)
    json += R"({"id": )" + std::to_string(100 + i) + R"(, "state": ")" + (i == 12 ? "down" : "up") + "\"}, ";
  const Reduced reduced(json + "{}]}", ContentFormat::json);
  const Unit& first = reduced.reduction.units[1];
  EXPECT_EQ(reduced.text.substr(first.begin, first.end - first.begin), R"("rows": [{"id": 100, "state": "up"})");
  EXPECT_EQ(first.note.substr(0, 11), "21 records:");
  EXPECT_EQ(reduced.rank("total"), Rank::sample);
  EXPECT_EQ(reduced.rank("100"), Rank::framing);
  EXPECT_EQ(reduced.rank("101"), Rank::counted);
  EXPECT_EQ(reduced.rank("down"), Rank::framing);
}

TEST(ReductionTest, AnEmptyErrorMemberReportsNone) {
  const Reduced reduced(R"({"error": null, "failed": 0, "errors": [], "message": "connection refused"})",
                        ContentFormat::json);
  EXPECT_NE(reduced.rank("\"error\""), Rank::always);
  EXPECT_NE(reduced.rank("failed"), Rank::always);
  EXPECT_EQ(reduced.rank("refused"), Rank::always);
}

TEST(ReductionTest, ADiffPrefersItsFilesThenItsChanges) {
  const Reduced reduced("diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n kept\n-old\n+new\n",
                        ContentFormat::diff);
  EXPECT_EQ(reduced.rank("diff"), Rank::framing);
  EXPECT_EQ(reduced.rank("@@"), Rank::sample);
  EXPECT_EQ(reduced.rank("-old"), Rank::sample);
  EXPECT_EQ(reduced.rank(" kept"), Rank::rest);
  EXPECT_EQ(reduced.reduction.units.back().open, 4U);
  EXPECT_TRUE(reduced.reduction.units.back().changed);
}

TEST(ReductionTest, CodePrefersDeclarationsThenTheirComments) {
  const Reduced reduced(
      "import os\n\nclass Pump:\n    \"\"\"Moves water.\"\"\"\n    def start(self):\n        self.on = True\n\n# "
      "Stops.\ndef "
      "stop():\n    pass\n",
      ContentFormat::code);
  EXPECT_EQ(reduced.rank("class Pump"), Rank::framing);
  EXPECT_EQ(reduced.rank("    def start"), Rank::framing);
  EXPECT_EQ(reduced.rank("Moves water"), Rank::sample);
  EXPECT_EQ(reduced.rank("# Stops"), Rank::sample);
  EXPECT_EQ(reduced.rank("self.on"), Rank::rest);
}

TEST(ReductionTest, ControlFlowIsNoDeclaration) {
  const Reduced reduced("int f(int x) {\n  if (x > 0) {\n    return g(x);\n  }\n}\n", ContentFormat::code);
  EXPECT_EQ(reduced.rank("int f"), Rank::framing);
  EXPECT_EQ(reduced.rank("if (x"), Rank::rest);
}

TEST(ReductionTest, ATablePrefersRowsThatAreAskedFor) {
  std::string table = "| id | city |\n|---|---|\n";
  for (int i = 0; i < 20; ++i) table += "| " + std::to_string(i) + " | Rome |\n";
  const Reduced reduced(table + "| 21 | Paris |\n", ContentFormat::table, 1);
  EXPECT_EQ(reduced.rank("|---|"), Rank::framing);
  EXPECT_EQ(reduced.rank("Paris"), Rank::framing);
  EXPECT_EQ(reduced.rank("| 9 |"), Rank::rest);
  EXPECT_EQ(reduced.reduction.units.back().open, 1U);
  EXPECT_EQ(reduced.reduction.units[1].open, 0U);
}

}  // namespace
}  // namespace ctxmgr::engine
