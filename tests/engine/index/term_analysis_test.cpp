#include "engine/index/term_analysis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ctxmgr::engine {
namespace {

bool has_term(std::string_view text, std::string_view term, Language language = Language::english) {
  TermAnalyzer analyzer;
  std::vector<TermOccurrence> found;
  analyzer.analyze(text, language, 0, found);
  return std::any_of(found.begin(), found.end(), [&](const TermOccurrence& o) { return o.term == hash_term(term); });
}

TEST(TermAnalysisTest, StemsAndFoldsWords) {
  EXPECT_TRUE(has_term("Running", "run"));
  EXPECT_TRUE(has_term("CAFÉS", "cafe"));
  EXPECT_TRUE(has_term("Häuser", "haus", Language::german));
}

TEST(TermAnalysisTest, IdentifiersStayWholeAndSplit) {
  EXPECT_TRUE(has_term("getUserName", "getusername"));
  EXPECT_TRUE(has_term("getUserName", "user"));
  EXPECT_TRUE(has_term("anna_berg_4021", "anna_berg_4021"));
  EXPECT_TRUE(has_term("anna_berg_4021", "4021"));
  EXPECT_TRUE(has_term("src/core/utf8.hpp", "src/core/utf8.hpp"));
  EXPECT_TRUE(has_term("HTTPServer", "http"));
}

TEST(TermAnalysisTest, ChineseIsCutIntoPairs) {
  EXPECT_TRUE(has_term("数据库连接", "据库"));
  EXPECT_TRUE(has_term("数", "数"));
}

TEST(TermAnalysisTest, ARunTooLongToRememberIsOneTerm) {
  const std::string blob(5000, 'q');
  TermAnalyzer analyzer;
  std::vector<TermOccurrence> found;
  analyzer.analyze(blob, Language::english, 0, found);
  ASSERT_EQ(found.size(), 1U);
  analyzer.analyze(blob.substr(0, 160), Language::english, 0, found);
  EXPECT_NE(found[0].term, found[1].term);
}

TEST(TermAnalysisTest, AnyBytesWillDo) {
  TermAnalyzer analyzer;
  std::vector<TermOccurrence> found;
  analyzer.analyze("\xFF\xFE ok \xC3", Language::english, 0, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].offset, 3U);
}

}  // namespace
}  // namespace ctxmgr::engine
