#include "adapters/bpe/ranked_tokens.hpp"

#include <gtest/gtest.h>

#include "adapters/bpe/piece_encoder.hpp"

namespace ctxmgr::bpe {
namespace {

std::vector<std::string> bytes_and(const std::vector<std::string>& further) {
  std::vector<std::string> tokens;
  for (int byte = 255; byte >= 0; --byte) tokens.emplace_back(1, static_cast<char>(byte));
  tokens.insert(tokens.end(), further.begin(), further.end());
  return tokens;
}

TEST(RankedTokensTest, FindsTheMergeThatEncodingWouldMake) {
  const auto vocabulary = make_vocabulary(bytes_and({"bc", "ab", "abc"})).value().vocabulary;
  EXPECT_EQ(vocabulary.merge_of(256).left, Rank{255 - 'b'});
  EXPECT_EQ(vocabulary.merge_of(258).left, Rank{255 - 'a'});  // a + bc, since bc ranks before ab
  EXPECT_EQ(vocabulary.merge_of(258).right, 256U);
}

std::vector<Rank> encode_places(const RankedVocabulary& made, std::string_view piece) {
  const std::string padded = std::string(piece) + "????????";
  PieceEncoder encoder(made.vocabulary);
  std::vector<Rank> places;
  for (const Rank rank : encoder.encode(std::string_view(padded).substr(0, piece.size()))) {
    places.push_back(made.places.empty() ? rank : made.places[rank]);
  }
  return places;
}

TEST(RankedTokensTest, PutsTokensBehindThoseThatTheyAreMergedFrom) {
  // "abab" ranks before "ab", of which it is made.
  const auto made = make_vocabulary(bytes_and({"abab", "ab", "cd"})).value();
  EXPECT_EQ(encode_places(made, "abab"), (std::vector<Rank>{256}));
  EXPECT_EQ(encode_places(made, "ababcd"), (std::vector<Rank>{256, 258}));
  EXPECT_EQ(encode_places(made, "ababab"), (std::vector<Rank>{256, 257}));
  EXPECT_EQ(made.places[257], 256U);
  EXPECT_EQ(made.vocabulary.text_of(257), "abab");
}

TEST(RankedTokensTest, KnowsTokensThatMergingNeverMakesAsWholePieces) {
  const std::string longer = "a longer one that nothing makes";
  const auto made = make_vocabulary(bytes_and({"xyz", "ab", longer})).value();
  EXPECT_EQ(encode_places(made, "xyz"), (std::vector<Rank>{256}));
  EXPECT_EQ(encode_places(made, "xyzab").size(), 4U);
  EXPECT_EQ(encode_places(made, longer), (std::vector<Rank>{258}));
  EXPECT_EQ(encode_places(made, longer + "!").size(), longer.size() + 1);
  EXPECT_EQ(made.vocabulary.text_of(258), longer);
}

TEST(RankedTokensTest, RefusesWhatMergesCannotReach) {
  EXPECT_EQ(make_vocabulary(bytes_and({"abc"}), false).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(bytes_and({"ab", "ab"})).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(bytes_and({std::string(5'000, 'a')})).error().code, ErrorCode::bad_data);
}

TEST(RankedTokensTest, RefusesAnOrderThatCannotBeKept) {
  // "aba" ranks before "ab", so in "abab" it takes the second a before that can begin another "ab".
  EXPECT_EQ(make_vocabulary(bytes_and({"aba", "ab"})).error().code, ErrorCode::bad_data);
}

TEST(RankedTokensTest, RefusesVocabulariesWithoutEveryByte) {
  EXPECT_EQ(make_vocabulary({}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(std::vector<std::string>(256, "a")).error().code, ErrorCode::bad_data);
}

TEST(RankedTokensTest, RefusesWhatWouldTakeTheSquareOfTooManyLongTokens) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 5'000; ++i) tokens.push_back(std::to_string(i) + std::string(1'000, 'a'));
  const auto made = make_vocabulary(bytes_and(tokens), true);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "vocabulary: too many of its tokens are long");
}

}  // namespace
}  // namespace ctxmgr::bpe
