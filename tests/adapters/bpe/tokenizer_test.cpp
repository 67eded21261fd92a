#include "adapters/bpe/tokenizer.hpp"

#include <gtest/gtest.h>

#include "adapters/bpe/embedded.hpp"

namespace ctxmgr::bpe {
namespace {

const Tokenizer& o200k_tokenizer() {
  static const Tokenizer tokenizer = load_embedded("o200k_base").value();
  return tokenizer;
}

TEST(TokenizerTest, CountsLongTextsAsItEncodesThem) {
  std::string text;
  for (int i = 0; i < 2'000; ++i)
    text += "Item " + std::to_string(i * 7919) + ": naïve 漢字かな交じり文の例文です, isn't it?\n";
  EXPECT_EQ(o200k_tokenizer().count(text), static_cast<std::int64_t>(o200k_tokenizer().encode(text).size()));
}

TEST(TokenizerTest, KnowsFrequentTokensFromTheBeginning) {
  const auto memo = memo_of(o200k_tokenizer().vocabulary);
  EXPECT_EQ(memo->find(std::string_view("the        ").substr(0, 3)), 1);
  EXPECT_EQ(memo->find(std::string_view(" information        ").substr(0, 12)), 1);
  EXPECT_EQ(memo->find(std::string_view("zqxjk        ").substr(0, 5)), 0);
}

TEST(TokenizerTest, NormalizesWhereTheVocabularyAsksForIt) {
  Tokenizer tokenizer = load_embedded("cl100k_base").value();
  tokenizer.normalizes = true;
  EXPECT_EQ(tokenizer.encode("cafe\u0301"), tokenizer.encode("café"));
  EXPECT_EQ(tokenizer.count("cafe\u0301"), tokenizer.count("café"));
}

TEST(TokenizerTest, CountsWhatIsNotUtf8AsWhatItStandsFor) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "some words \xFF and \xE2\x82 more";
  EXPECT_EQ(o200k_tokenizer().encode(text), o200k_tokenizer().encode(repair_utf8(text)));
  EXPECT_EQ(o200k_tokenizer().count(text), o200k_tokenizer().count(repair_utf8(text)));
}

}  // namespace
}  // namespace ctxmgr::bpe
