#include "adapters/bpe/ranked_tokens.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

std::vector<std::string> bytes_and(const std::vector<std::string>& further) {
  std::vector<std::string> tokens;
  for (int byte = 255; byte >= 0; --byte) tokens.emplace_back(1, static_cast<char>(byte));
  tokens.insert(tokens.end(), further.begin(), further.end());
  return tokens;
}

TEST(RankedTokensTest, FindsTheMergeThatEncodingWouldMake) {
  const auto vocabulary = make_vocabulary(bytes_and({"bc", "ab", "abc"})).value();
  EXPECT_EQ(vocabulary.merge_of(256).left, Rank{255 - 'b'});
  EXPECT_EQ(vocabulary.merge_of(258).left, Rank{255 - 'a'});  // a + bc, since bc ranks before ab
  EXPECT_EQ(vocabulary.merge_of(258).right, 256U);
}

TEST(RankedTokensTest, RefusesWhatMergesCannotReach) {
  EXPECT_EQ(make_vocabulary(bytes_and({"abc"})).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(bytes_and({"ab", "ab"})).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(bytes_and({std::string(5'000, 'a')})).error().code, ErrorCode::bad_data);
}

TEST(RankedTokensTest, RefusesVocabulariesWithoutEveryByte) {
  EXPECT_EQ(make_vocabulary({}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(make_vocabulary(std::vector<std::string>(256, "a")).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::bpe
