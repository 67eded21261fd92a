#include "adapters/bpe/huggingface_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace ctxmgr::bpe {
namespace {

using Json = nlohmann::json;

constexpr const char* llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string utf8(std::uint32_t code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 63U))};
}

// Printable bytes as themselves, the others from U+0100 on; ids count from 1 000, so that they differ from the ranks.
Json tokenizer_file() {
  Json vocab = Json::object();
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    vocab[utf8(printable ? byte : next++)] = 1'000 + byte;
  }
  vocab["he"] = 2'000;
  vocab["Ġhe"] = 2'001;
  vocab["<|special|>"] = 3'000;
  const Json split = {
      {"type", "Split"}, {"pattern", {{"Regex", llama3_pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return {{"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}}},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"h e", "Ġ he"}}}}};
}

std::vector<std::uint32_t> encode_ids(const VocabularyFile& file, std::string_view text) {
  auto ids = file.tokenizer.encode(text);
  for (auto& id : ids) id = file.ids.id_of(id);
  return ids;
}

TEST(HuggingFaceFileTest, ReadsByteLevelBpeWithTheIdsOfTheFile) {
  const auto file = parse_huggingface_file(tokenizer_file().dump()).value();
  EXPECT_EQ(encode_ids(file, "he he\n"), (std::vector<std::uint32_t>{2'000, 2'001, 1'010}));
  EXPECT_EQ(file.ids.rank_of(2'000), 256U);
  EXPECT_EQ(file.ids.rank_of(3'000), no_rank);
  EXPECT_EQ(file.tokenizer.pattern, SplitPattern::cl100k);
}

TEST(HuggingFaceFileTest, ReadsMergesAsPairsToo) {
  Json json = tokenizer_file();
  json["model"]["merges"] = Json::array({Json::array({"h", "e"}), Json::array({"Ġ", "he"})});
  EXPECT_EQ(encode_ids(parse_huggingface_file(json.dump()).value(), "he"), (std::vector<std::uint32_t>{2'000}));
}

TEST(HuggingFaceFileTest, NormalizesWhereTheFileSaysNfc) {
  Json json = tokenizer_file();
  EXPECT_FALSE(parse_huggingface_file(json.dump())->tokenizer.normalizes);
  json["normalizer"] = {{"type", "NFC"}};
  EXPECT_TRUE(parse_huggingface_file(json.dump())->tokenizer.normalizes);
}

TEST(HuggingFaceFileTest, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const char* pointer, const Json& value) {
    Json json = tokenizer_file();
    json[Json::json_pointer(pointer)] = value;
    const auto file = parse_huggingface_file(json.dump());
    return !file && file.error().code == ErrorCode::bad_data;
  };
  EXPECT_TRUE(refused("/pre_tokenizer/pretokenizers/0/pattern/Regex", "\\w+"));
  EXPECT_TRUE(refused("/pre_tokenizer/pretokenizers/1/use_regex", true));
  EXPECT_TRUE(refused("/pre_tokenizer", nullptr));
  EXPECT_TRUE(refused("/normalizer", {{"type", "NFKC"}}));
  EXPECT_TRUE(refused("/model/type", "Unigram"));
  EXPECT_TRUE(refused("/model/merges", {"h x"}));
  EXPECT_TRUE(refused("/model/merges", {1}));
  EXPECT_TRUE(refused("/model/vocab", Json::array()));
  EXPECT_TRUE(refused("/model/vocab/a", "x"));
  EXPECT_TRUE(refused("/model/vocab/a", -1));
  EXPECT_TRUE(refused("/model/vocab/a", 4'294'967'296));
}

TEST(HuggingFaceFileTest, RefusesWhatIsNotJson) {
  EXPECT_EQ(parse_huggingface_file("{\"model\":").error().code, ErrorCode::bad_data);
  EXPECT_EQ(parse_huggingface_file("[]").error().code, ErrorCode::bad_data);
  EXPECT_EQ(parse_huggingface_file(std::string(100'000, '[')).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::bpe
