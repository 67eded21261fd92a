#include "adapters/bpe/vocabulary_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "adapters/bpe/huggingface_file.hpp"
#include "adapters/bpe/ranked_tokens.hpp"

namespace ctxmgr::bpe {
namespace {

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> decode_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>(bits >> held & 0xFFU);
    }
  }
  return bytes;
}

std::optional<SplitPattern> pattern_by_name(std::string_view name) {
  if (name.substr(0, 5) == "o200k") return SplitPattern::o200k;
  if (name.substr(0, 6) == "cl100k" || name.substr(0, 6) == "llama3") return SplitPattern::cl100k;
  if (name.substr(0, 4) == "qwen") return SplitPattern::qwen;
  return std::nullopt;
}

// "base64 rank" on each line, the ranks in order and without gaps.
std::optional<std::vector<std::string>> parse_ranked_lines(std::string_view content) {
  std::vector<std::string> tokens;
  while (!content.empty()) {
    std::string_view line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(content.size(), line.size() + 1));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    auto token = decode_base64(line.substr(0, space));
    std::size_t rank = 0;
    const char* const end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data() + space + 1, end, rank);
    if (!token || token->empty() || parsed.ec != std::errc{} || parsed.ptr != end || rank != tokens.size()) {
      return std::nullopt;
    }
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

}  // namespace

Result<VocabularyFile> parse_vocabulary_file(std::string_view content, std::string_view name) {
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && content[start] == '{') return parse_huggingface_file(content);
  const auto pattern = pattern_by_name(name);
  if (!pattern) {
    return fail(ErrorCode::invalid_argument,
                "vocabulary: a .tiktoken file needs a name that begins with o200k, cl100k, llama3 or qwen");
  }
  const auto tokens = parse_ranked_lines(content);
  if (!tokens) return fail(ErrorCode::bad_data, "vocabulary: not a .tiktoken file with ranks in order");
  auto made = make_vocabulary(*tokens);
  if (!made) return tl::unexpected(std::move(made).error());
  return VocabularyFile{Tokenizer{std::move(made->vocabulary), *pattern}, TokenIds(std::move(made->places))};
}

}  // namespace ctxmgr::bpe
