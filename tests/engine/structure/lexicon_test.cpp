#include "engine/structure/lexicon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "engine/structure/case_folding.hpp"

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;

TEST(LexiconTest, AFileHasListsOfWordsAndPhrases) {
  const auto language =
      read_language("xx", "# Some\nstemmer: some\nverb: last\n\nasks first:\n  name, give me,\n  cite\ntalk:\n  hi\n");
  ASSERT_TRUE(language);
  EXPECT_EQ(language->tag, "xx");
  EXPECT_EQ(language->stemmer, "some");
  EXPECT_TRUE(language->verb_is_last);
  EXPECT_TRUE(language->has_blanks);
  EXPECT_THAT(language->of(WordList::asks_first), ElementsAre("name", "give me", "cite"));
  EXPECT_THAT(language->of(WordList::talk), ElementsAre("hi"));
  EXPECT_TRUE(language->of(WordList::grammar).empty());
}

TEST(LexiconTest, AListThatNobodyReadsIsAnError) {
  EXPECT_FALSE(read_language("xx", "greets:\n  hello\n"));
  EXPECT_FALSE(read_language("xx", "  hello\n"));
  EXPECT_FALSE(read_language("xx", "verb: first\n"));
}

TEST(LexiconTest, EveryLanguageHasWhatRulesAreToldBy) {
  for (const auto& language : all_languages()) {
    EXPECT_FALSE(language.of(WordList::from_now_on).empty()) << language.tag;
    EXPECT_FALSE(language.of(WordList::always).empty()) << language.tag;
    EXPECT_FALSE(language.of(WordList::told).empty() && language.of(WordList::told_at_the_end).empty()) << language.tag;
  }
}

TEST(LexiconTest, PhrasesAreWordsWithOneBlankBetween) {
  for (const auto& language : all_languages())
    for (const auto& list : language.lists)
      for (const auto word : list) {
        EXPECT_EQ(word.find("  "), std::string_view::npos) << word;
        EXPECT_EQ(word.find_first_of(".;:|"), std::string_view::npos) << word;
      }
}

TEST(LexiconTest, EachLanguageIsCompiledInOnce) {
  std::set<std::string_view> tags;
  for (const auto& language : all_languages()) EXPECT_TRUE(tags.insert(language.tag).second) << language.tag;
  for (const char* tag : {"en", "de", "ru", "zh", "uk", "cs", "id", "fa", "he", "hu", "bn"})
    EXPECT_EQ(tags.count(tag), 1U) << tag;
}

TEST(LexiconTest, WordsAreFoldedAsTheTextsAreThatTheyAreLookedForIn) {
  for (const auto& language : all_languages())
    for (std::size_t l = 0; l < word_list_count; ++l) {
      if (l == static_cast<std::size_t>(WordList::abbreviations)) continue;
      std::set<std::string_view> words;
      for (const auto word : language.lists[l]) {
        EXPECT_EQ(fold_case(word), word) << language.tag;
        EXPECT_TRUE(words.insert(word).second) << language.tag << " has twice: " << word;
      }
    }
}

}  // namespace
}  // namespace ctxmgr::engine
