#include "adapters/bpe/vocabulary.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "adapters/bpe/cl100k.hpp"

namespace ctxmgr::bpe {
namespace {

std::string all_bytes() {
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

// 256: "ab", 257: "abab", 258: "ababab", … each longer by "ab".
Vocabulary growing_vocabulary(Rank tokens) {
  std::vector<Merge> merges = {{'a', 'b'}};
  for (Rank i = 1; i < tokens; ++i) merges.push_back({255 + i, 256});
  return Vocabulary::make(all_bytes(), Merges(merges)).value();
}

Result<Vocabulary> make(std::string_view bytes, const std::vector<Merge>& merges) {
  return Vocabulary::make(bytes, Merges(merges));
}

std::string repeat_ab(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += "ab";
  return text;
}

// With room behind it, which `find` may read.
Rank find(const Vocabulary& vocabulary, std::string_view text) {
  const std::string padded = std::string(text) + "????????";
  return vocabulary.find(std::string_view(padded).substr(0, text.size()));
}

TEST(VocabularyTest, FindsTokensOfEveryLength) {
  const Vocabulary vocabulary = growing_vocabulary(30);
  for (int times = 1; times <= 30; ++times) {
    EXPECT_EQ(find(vocabulary, repeat_ab(times)), 255U + static_cast<Rank>(times));
    EXPECT_EQ(find(vocabulary, repeat_ab(times) + "a"), no_rank);
  }
}

TEST(VocabularyTest, TellsTrailingZerosApart) {
  const Vocabulary vocabulary = make(all_bytes(), {{'a', 0}, {'a', 'b'}}).value();
  EXPECT_EQ(find(vocabulary, "a"), Rank{'a'});
  EXPECT_EQ(find(vocabulary, std::string_view("a\0", 2)), 256U);
  EXPECT_EQ(find(vocabulary, "ab"), 257U);
  EXPECT_EQ(find(vocabulary, "ba"), no_rank);
  EXPECT_EQ(find(vocabulary, std::string_view("\0", 1)), 0U);
}

TEST(VocabularyTest, FindsTokensThatMergingDoesNotMake) {
  const Vocabulary vocabulary = Vocabulary::make(all_bytes(), Merges(std::vector<Merge>{{'a', 'b'}}), {"xyz"}).value();
  EXPECT_EQ(find(vocabulary, "xyz"), 257U);
  EXPECT_EQ(vocabulary.text_of(257), "xyz");
  EXPECT_EQ(vocabulary.max_token_bytes(), 3U);
}

TEST(VocabularyTest, KnowsWhichPairsMerge) {
  const Vocabulary vocabulary = growing_vocabulary(3);
  EXPECT_EQ(vocabulary.merged('a', 'b'), 256U);
  EXPECT_EQ(vocabulary.merged(257, 256), 258U);
  EXPECT_EQ(vocabulary.merged(256, 257), no_rank);
}

TEST(VocabularyTest, SpellsTokens) {
  EXPECT_EQ(growing_vocabulary(3).text_of(258), "ababab");
  EXPECT_EQ(growing_vocabulary(3).text_of('a'), "a");
}

// The bytes of U+6F22 are E6 BC A2, those of U+00E9 C3 A9.
constexpr Rank e6 = 0xE6, bc = 0xBC, a2 = 0xA2, c3 = 0xC3, a9 = 0xA9;

TEST(VocabularyTest, KnowsCharactersThatMergingMakesOfTheirBytes) {
  const Vocabulary vocabulary = make(all_bytes(), {{e6, bc}, {256, a2}, {c3, a9}}).value();
  EXPECT_EQ(vocabulary.rank_of_character("漢", 3), 257U);
  EXPECT_EQ(vocabulary.rank_of_character("é", 2), 258U);
  EXPECT_EQ(vocabulary.rank_of_character("字", 3), no_rank);
  // The last two bytes are merged first, so that the token of all three is never made.
  EXPECT_EQ(make(all_bytes(), {{bc, a2}, {e6, bc}, {257, a2}}).value().rank_of_character("漢", 3), no_rank);
}

TEST(VocabularyTest, KnowsWhichBordersBreakCharacters) {
  // A space with the first byte of a character behind it; the last byte of a character with a letter behind it.
  const Vocabulary vocabulary = make(all_bytes(), {{' ', e6}, {a2, 'a'}, {'b', 'c'}}).value();
  EXPECT_TRUE(vocabulary.breaks_next(' ', '\xE6'));
  EXPECT_FALSE(vocabulary.breaks_previous(' ', '\xE6'));
  EXPECT_TRUE(vocabulary.breaks_previous('\xA2', 'a'));
  EXPECT_FALSE(vocabulary.breaks_next('\xA2', 'a'));
  EXPECT_FALSE(vocabulary.breaks_next('b', 'c'));
  EXPECT_FALSE(vocabulary.breaks_previous('b', 'c'));
}

// 257: 漢, 259: 字, 260: 漢字.
const std::vector<Merge> two_characters = {{e6, bc}, {256, a2}, {0xE5, 0xAD}, {258, 0x97}, {257, 259}};

TEST(VocabularyTest, APartEndsBetweenCharactersThatNoTokenHasSideBySide) {
  const Vocabulary vocabulary = make(all_bytes(), two_characters).value();
  EXPECT_EQ(vocabulary.part_end("漢字漢", 0), 6U);
  EXPECT_EQ(vocabulary.part_end("漢字漢", 6), 9U);
  EXPECT_EQ(vocabulary.part_end("éé", 0), 2U);
  // Only characters of two or three bytes are looked at, and only where the text ends in one.
  EXPECT_EQ(vocabulary.part_end("字a漢😀漢", 0), 14U);
  EXPECT_EQ(vocabulary.part_end("字漢a", 0), 7U);
}

TEST(VocabularyTest, APartDoesNotEndWhereATokenHasBytesOfBothSides) {
  std::vector<Merge> merges = two_characters;
  merges.push_back({a2, e6});
  EXPECT_EQ(make(all_bytes(), merges).value().part_end("漢漢", 0), 6U);
  EXPECT_EQ(Vocabulary::make(all_bytes(), Merges(two_characters), {"字漢"}).value().part_end("漢字漢", 0), 9U);
}

// The answer is kept; all pairs together are more than there is room for.
TEST(VocabularyTest, TheRunBehindAnotherIsTheLongestThatStaysApartFromIt) {
  const auto& vocabulary = cl100k_vocabulary();
  const auto& runs = vocabulary.runs();
  std::vector<RunTokens::Node> nodes;
  for (std::size_t blanks = 0; blanks < 40; ++blanks) {
    for (const char* const end : {"", "\n", "\r\n", "\n\n", "\t", "\t\n"}) {
      const auto node = runs.longest(std::string(blanks, ' ') + end);
      if (node != RunTokens::none) nodes.push_back(node);
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto left : nodes) {
      for (const auto right : nodes) {
        auto longest = right;
        while (longest != RunTokens::none && !vocabulary.stay_apart(runs.token(left), runs.token(longest)))
          longest = runs.shorter(longest);
        ASSERT_EQ(vocabulary.run_behind(left, right), longest) << left << " " << right;
      }
    }
  }
}

TEST(VocabularyTest, RefusesMergesOfTokensThatComeLater) {
  EXPECT_EQ(make(all_bytes(), {{'a', 256}}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make(std::string(256, 'a'), {}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make("ab", {}).error().code, ErrorCode::bad_data);
}

TEST(VocabularyTest, RefusesTokensThatAreTooLong) {
  std::vector<Merge> doubling = {{'a', 'a'}};
  for (Rank rank = 256; rank < 270; ++rank) doubling.push_back({rank, rank});
  EXPECT_EQ(make(all_bytes(), doubling).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::bpe
