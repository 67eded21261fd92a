// Differential: the fast tokenizer against reading by character and merging by the definition, on any bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "adapters/bpe/embedded.hpp"
#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "support/naive_bpe.hpp"

namespace {

using namespace ctxmgr;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fputs(what, stderr);
  std::abort();
}

template <bpe::SplitPattern pattern>
std::vector<bpe::Rank> encode_naively(const bpe::NaiveBpe& naive, const std::string& text) {
  std::vector<bpe::Rank> ranks;
  for (std::size_t pos = 0; pos < text.size();) {
    const std::size_t end = bpe::piece_end_by_character<pattern>(text, pos).end;
    require(end > pos && end <= text.size(), "a piece is empty or too long");
    const auto piece = naive.encode(std::string_view(text).substr(pos, end - pos));
    ranks.insert(ranks.end(), piece.begin(), piece.end());
    pos = end;
  }
  return ranks;
}

template <bpe::SplitPattern pattern>
void check(const BpeEncoding& encoding, const bpe::NaiveBpe& naive, std::string_view text) {
  const std::string repaired = bpe::repair_utf8(text);
  const auto tokens = encoding.encode(text);
  require(tokens == encode_naively<pattern>(naive, repaired), "the tokens differ");
  require(encoding.decode(tokens).value() == repaired, "decoding does not give the text back");
  const auto count = static_cast<std::int64_t>(tokens.size());
  require(encoding.count(text) == count, "the count differs");
  require(encoding.count_up_to(text, count) == count, "count_up_to differs within the limit");
  require(encoding.count_up_to(text, count - 1) >= count, "count_up_to hides that the limit is passed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const BpeEncoding o200k = BpeEncoding::load("o200k_base").value();
  static const BpeEncoding cl100k = BpeEncoding::load("cl100k_base").value();
  static const bpe::NaiveBpe naive_o200k(bpe::load_embedded("o200k_base")->vocabulary);
  static const bpe::NaiveBpe naive_cl100k(bpe::load_embedded("cl100k_base")->vocabulary);
  if (size > 1'024) return 0;  // the definition is quadratic
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check<bpe::SplitPattern::o200k>(o200k, naive_o200k, text);
  check<bpe::SplitPattern::cl100k>(cl100k, naive_cl100k, text);
  return 0;
}
