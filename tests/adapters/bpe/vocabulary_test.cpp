#include "adapters/bpe/vocabulary.hpp"

#include <gtest/gtest.h>

#include <numeric>

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

Match longest(const Vocabulary& vocabulary, std::string_view text, std::size_t limit = 4'096) {
  return vocabulary.longest(text.data(), text.size(), limit, text.data() + text.size());
}

std::string repeat_ab(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += "ab";
  return text;
}

TEST(VocabularyTest, FindsTheLongestTokenOfEveryLength) {
  const Vocabulary vocabulary = growing_vocabulary(30);
  for (int times = 1; times <= 30; ++times) {
    const Match match = longest(vocabulary, repeat_ab(times) + "!");
    EXPECT_EQ(match.rank, 255U + static_cast<Rank>(times));
    EXPECT_EQ(match.bytes, 2U * static_cast<std::size_t>(times));
  }
}

TEST(VocabularyTest, FindsShorterTokensUnderALimit) {
  const Vocabulary vocabulary = growing_vocabulary(30);
  EXPECT_EQ(longest(vocabulary, repeat_ab(30), 59).bytes, 58U);
  EXPECT_EQ(longest(vocabulary, repeat_ab(30), 13).bytes, 12U);
  EXPECT_EQ(longest(vocabulary, repeat_ab(30), 3).bytes, 2U);
  EXPECT_EQ(longest(vocabulary, repeat_ab(30), 1).rank, Rank{'a'});
  EXPECT_EQ(longest(vocabulary, repeat_ab(30), 0).bytes, 0U);
}

TEST(VocabularyTest, FindsTokensByKeyAndTellsTrailingZerosApart) {
  const Vocabulary vocabulary = make(all_bytes(), {{'a', 0}, {'a', 'b'}}).value();
  const auto find = [&](std::string_view text) {
    return vocabulary.find(shorten(load_key(text.data(), text.data() + text.size()), text.size()));
  };
  EXPECT_EQ(find("a"), Rank{'a'});
  EXPECT_EQ(find(std::string_view("a\0", 2)), 256U);
  EXPECT_EQ(find("ab"), 257U);
  EXPECT_EQ(find("ba"), no_rank);
  EXPECT_EQ(find(std::string_view("\0", 1)), 0U);
}

TEST(VocabularyTest, KnowsWhichPairsMerge) {
  const Vocabulary vocabulary = growing_vocabulary(3);
  EXPECT_EQ(vocabulary.merged('a', 'b'), 256U);
  EXPECT_EQ(vocabulary.merged(257, 256), 258U);
  EXPECT_EQ(vocabulary.merged(256, 257), no_rank);
}

TEST(VocabularyTest, SpellsTokens) {
  std::string text = ">";
  growing_vocabulary(3).append_text(258, text);
  EXPECT_EQ(text, ">ababab");
}

TEST(VocabularyTest, MayMergeAcrossABorderOnlyWhereSomeMergeEndsAndBeginsSo) {
  const Vocabulary vocabulary = growing_vocabulary(3);
  const std::string text = "abab!!";
  EXPECT_TRUE(vocabulary.may_merge_across(text.data() + 1, 1, 1));
  EXPECT_TRUE(vocabulary.may_merge_across(text.data() + 2, 2, 2));
  EXPECT_FALSE(vocabulary.may_merge_across(text.data() + 5, 2, 1));
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
