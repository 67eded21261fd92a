#include "adapters/bpe/vocabulary_file.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) : 0U;
    };
    const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (std::uint32_t digit = 0; digit < 4; ++digit) {
      text += i + digit > bytes.size() ? '=' : digits[three >> (18U - 6U * digit) & 63U];
    }
  }
  return text;
}

std::string ranked_file() {
  std::string file;
  int rank = 0;
  for (int byte = 0; byte < 256; ++byte)
    file += base64(std::string(1, static_cast<char>(byte))) + " " + std::to_string(rank++) + "\n";
  for (const char* token : {"he", "ll", "hell", "hello"}) file += base64(token) + " " + std::to_string(rank++) + "\n";
  return file;
}

TEST(VocabularyFileTest, ReadsTiktokenFiles) {
  const auto file = parse_vocabulary_file(ranked_file(), "cl100k_mine").value();
  EXPECT_EQ(file.tokenizer.vocabulary.size(), 260U);
  EXPECT_EQ(file.tokenizer.encode("hello"), (std::vector<Rank>{259}));
  EXPECT_EQ(file.tokenizer.encode("help"), (std::vector<Rank>{256, 'l', 'p'}));
  EXPECT_EQ(file.ids.id_of(259), 259U);
}

TEST(VocabularyFileTest, TakesTheSplitPatternFromTheName) {
  EXPECT_EQ(parse_vocabulary_file(ranked_file(), "o200k_base")->tokenizer.pattern, SplitPattern::o200k);
  EXPECT_EQ(parse_vocabulary_file(ranked_file(), "llama3")->tokenizer.pattern, SplitPattern::cl100k);
  EXPECT_EQ(parse_vocabulary_file(ranked_file(), "qwen3")->tokenizer.pattern, SplitPattern::qwen);
  EXPECT_EQ(parse_vocabulary_file(ranked_file(), "mine").error().code, ErrorCode::invalid_argument);
}

TEST(VocabularyFileTest, RefusesMalformedLines) {
  for (const char* content : {"", "IQ==", "IQ== 1\n", "I!== 0\n", "IQ== 0x\n", "= 0\n", "\xFF\xFF 0\n"}) {
    EXPECT_EQ(parse_vocabulary_file(content, "o200k").error().code, ErrorCode::bad_data) << content;
  }
}

}  // namespace
}  // namespace ctxmgr::bpe
