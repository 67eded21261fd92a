#include "adapters/bpe/embedded.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ctxmgr::bpe {

// Defined in sources that the build makes from data/*.pairs: the file as 64-bit numbers, lowest byte first, and a zero.
extern const std::uint64_t o200k_base_pairs[];
extern const std::uint64_t cl100k_base_pairs[];

namespace {

// data/README.md has the form: the number of tokens, the bits of a rank, the bytes in the order of their ranks, and
// two ranks for each further token.
Result<Vocabulary> expand(const std::uint64_t* words) {
  const auto tokens = static_cast<std::size_t>(words[0] & 0xFFFFFFFFU);
  const auto bits = static_cast<unsigned>(words[0] >> 32U);
  std::string bytes;
  for (std::size_t i = 0; i < 256; ++i) bytes += static_cast<char>(words[1 + i / 8] >> (i % 8 * 8) & 0xFFU);
  return Vocabulary::make(bytes, Merges(words + 33, bits, tokens - 256));
}

}  // namespace

Result<Tokenizer> load_embedded(std::string_view name) {
  const bool is_o200k = name == "o200k_base";
  if (!is_o200k && name != "cl100k_base")
    return fail(ErrorCode::not_found, "encoding: none of that name is compiled in");
  auto vocabulary = expand(is_o200k ? o200k_base_pairs : cl100k_base_pairs);
  if (!vocabulary) return tl::unexpected(std::move(vocabulary).error());
  return Tokenizer{*std::move(vocabulary), is_o200k ? SplitPattern::o200k : SplitPattern::cl100k};
}

}  // namespace ctxmgr::bpe
