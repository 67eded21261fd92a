#include "adapters/bpe/huggingface_file.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapters/bpe/char_class.hpp"
#include "adapters/bpe/ranked_tokens.hpp"

namespace ctxmgr::bpe {
namespace {

using Json = nlohmann::json;

// Byte-level BPE writes each byte as a printable character (GPT-2, `bytes_to_unicode`): the printable ones of Latin-1 as
// themselves, the rest as U+0100 and following, in order.
std::unordered_map<std::string, char> byte_characters() {
  std::unordered_map<std::string, char> bytes;
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    const std::uint32_t code = printable ? byte : next++;
    std::string character;
    if (code < 0x80) {
      character += static_cast<char>(code);
    } else {
      character += static_cast<char>(0xC0U | code >> 6U);
      character += static_cast<char>(0x80U | (code & 63U));
    }
    bytes.emplace(std::move(character), static_cast<char>(byte));
  }
  return bytes;
}

std::optional<std::string> to_bytes(const std::unordered_map<std::string, char>& characters, std::string_view token) {
  std::string bytes;
  for (std::size_t pos = 0; pos < token.size();) {
    const std::size_t length = char_at(token, pos).bytes;
    const auto found = characters.find(std::string(token.substr(pos, length)));
    if (found == characters.end()) return std::nullopt;
    bytes += found->second;
    pos += length;
  }
  return bytes;
}

struct KnownPattern {
  const char* regex;
  SplitPattern pattern;
};
constexpr KnownPattern known_patterns[] = {
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::cl100k},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::qwen},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitPattern::o200k},
};

std::string text_at(const Json& object, const char* pointer) {
  const Json::json_pointer at(pointer);
  return object.contains(at) && object.at(at).is_string() ? object.at(at).get<std::string>() : std::string();
}

// The one Split of the pretokenizer, which stands alone or in a Sequence with ByteLevel.
std::optional<SplitPattern> pattern_of(const Json& file) {
  const auto found = file.find("pre_tokenizer");
  if (found == file.end() || !found->is_object()) return std::nullopt;
  const Json steps =
      text_at(*found, "/type") == "Sequence" ? found->value("pretokenizers", Json::array()) : Json{*found};
  std::optional<SplitPattern> pattern;
  for (const Json& step : steps) {
    const std::string type = text_at(step, "/type");
    if (type == "ByteLevel") {
      if (step.value("add_prefix_space", false) || step.value("use_regex", true)) return std::nullopt;
      continue;
    }
    if (type != "Split" || pattern || text_at(step, "/behavior") != "Isolated" || step.value("invert", false)) {
      return std::nullopt;
    }
    const std::string regex = text_at(step, "/pattern/Regex");
    const auto* known = std::find_if(std::begin(known_patterns), std::end(known_patterns),
                                     [&](const KnownPattern& entry) { return regex == entry.regex; });
    if (known == std::end(known_patterns)) return std::nullopt;
    pattern = known->pattern;
  }
  return pattern;
}

bool is_nfc(const Json& normalizer) { return text_at(normalizer, "/type") == "NFC"; }

// The text of a merge: "left right", or a pair of strings.
std::string merged_text(const Json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return merge[0].get<std::string>() + merge[1].get<std::string>();
  }
  std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
  const std::size_t space = text.find(' ');
  return space == std::string::npos ? std::string() : text.erase(space, 1);
}

Result<VocabularyFile> convert(const Json& file) {
  const auto pattern = pattern_of(file);
  if (!pattern) return fail(ErrorCode::bad_data, "tokenizer.json: the split pattern is not one of those known");
  const Json normalizer = file.value("normalizer", Json());
  if (!normalizer.is_null() && !is_nfc(normalizer)) {
    return fail(ErrorCode::bad_data, "tokenizer.json: the normaliser is not NFC");
  }
  if (text_at(file, "/model/type") != "BPE") return fail(ErrorCode::bad_data, "tokenizer.json: the model is not BPE");
  const Json& model = file.at("model");
  const Json& vocab = model.at("vocab");
  const auto characters = byte_characters();
  std::vector<std::string> tokens;
  std::vector<std::uint32_t> ids;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& text) {
    const auto id = vocab.find(text);
    auto bytes = to_bytes(characters, text);
    if (id == vocab.end() || !bytes) return false;
    if (!seen.insert(*bytes).second) return true;  // a further way to the same token, of higher rank
    if (!id->is_number_unsigned() || id->get<std::uint64_t>() > UINT32_MAX) return false;
    ids.push_back(id->get<std::uint32_t>());
    tokens.push_back(*std::move(bytes));
    return true;
  };
  for (const auto& [character, byte] : characters) {
    if (!add(character)) return fail(ErrorCode::bad_data, "tokenizer.json: a byte has no token");
  }
  for (const Json& merge : model.at("merges")) {
    if (!add(merged_text(merge))) return fail(ErrorCode::bad_data, "tokenizer.json: a merge makes no token");
  }
  auto made = make_vocabulary(tokens, model.value("ignore_merges", false));
  if (!made) return tl::unexpected(std::move(made).error());
  std::vector<std::uint32_t> by_rank;
  for (const Rank place : made->places) by_rank.push_back(ids[place]);
  return VocabularyFile{Tokenizer{std::move(made->vocabulary), *pattern, is_nfc(normalizer)},
                        TokenIds(by_rank.empty() ? std::move(ids) : std::move(by_rank))};
}

}  // namespace

Result<VocabularyFile> parse_huggingface_file(std::string_view content) {
  const Json file = Json::parse(content, nullptr, false);
  if (!file.is_object()) return fail(ErrorCode::bad_data, "tokenizer.json: not a JSON object");
  try {
    return convert(file);
  } catch (const Json::exception&) {
    return fail(ErrorCode::bad_data, "tokenizer.json: a field is missing or has the wrong type");
  }
}

}  // namespace ctxmgr::bpe
