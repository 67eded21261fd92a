#include "plain_search.hpp"

#include <gtest/gtest.h>

#include "tools/character_counter.hpp"

namespace {

using ctxpack::Passage;
using ctxpack::test::CharacterCounter;

std::string best(const std::vector<Passage>& passages, std::string_view question, std::int64_t tokens) {
  std::vector<const Passage*> all;
  for (const auto& passage : passages) all.push_back(&passage);
  return ctxpack::best_passages(all, question, tokens, CharacterCounter());
}

TEST(PlainSearchTest, PassagesAreWholeLinesOfAboutFourHundredCharacters) {
  const std::string line(150, 'x');
  const auto passages = ctxpack::passages_of("", line + "\n" + line + "\n" + line);
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(passages[0].text, line + "\n" + line + "\n");
  EXPECT_TRUE(ctxpack::passages_of("", " \n \n").empty());
}

TEST(PlainSearchTest, TheRarerWordDecides) {
  std::vector<Passage> passages;
  for (const char* text : {"the fee of May", "the fee of June", "the late fee of July"})
    passages.push_back(ctxpack::passages_of("", text).front());
  EXPECT_EQ(best(passages, "Which late fee?", 40), "the late fee of July\n");
  EXPECT_EQ(best(passages, "nothing", 100), "");
}

TEST(PlainSearchTest, TheHeadingIsSearchedAndPartsOfNamesAreWords) {
  const auto passages = ctxpack::passages_of("cat lateFee.txt", "42");
  EXPECT_EQ(best(passages, "what is the fee", 100), "cat lateFee.txt: 42\n");
}

}  // namespace
