#include "engine/history/instruction_cues.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(InstructionCuesTest, EveryLanguageHasWhatTheRulesAskFor) {
  ASSERT_EQ(instruction_cues().size(), 19U);
  for (const auto& cues : instruction_cues()) {
    EXPECT_FALSE(cues.always_instructs.empty());
    EXPECT_FALSE(cues.standing.empty()) << cues.always_instructs[0];
    EXPECT_FALSE(cues.frequency.empty()) << cues.always_instructs[0];
    EXPECT_FALSE(cues.reports.empty()) << cues.always_instructs[0];
    EXPECT_TRUE(!cues.imperatives.empty() || !cues.imperative_endings.empty()) << cues.always_instructs[0];
  }
}

TEST(InstructionCuesTest, PhrasesAreWordsWithOneBlankBetween) {
  for (const auto& cues : instruction_cues())
    for (const auto* phrases :
         {&cues.always_instructs, &cues.standing, &cues.begins, &cues.revokes, &cues.binds, &cues.conditions,
          &cues.closes, &cues.frequency, &cues.imperatives, &cues.imperative_endings, &cues.duties, &cues.politeness,
          &cues.consequences, &cues.first_person, &cues.others, &cues.statement_endings, &cues.questions,
          &cues.reports})
      for (const auto& phrase : *phrases) {
        ASSERT_FALSE(phrase.empty());
        EXPECT_NE(phrase.front(), ' ') << phrase;
        EXPECT_NE(phrase.back(), ' ') << phrase;
        EXPECT_EQ(phrase.find("  "), std::string::npos) << phrase;
        EXPECT_EQ(phrase.find_first_of(".,;:|\n"), std::string::npos) << phrase;
      }
}

}  // namespace
}  // namespace ctxmgr::engine
