#include "engine/selection/word_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_chunks_read = 64;  // a thread keeps no analyses of old messages: they are made again
constexpr std::size_t together = 3;           // terms from one word to the other, at most

// Chunks that have both words of some pair, the best ones by score.
std::vector<std::size_t> chunks_to_read(const Corpus& corpus, const std::vector<WordPair>& pairs,
                                        const std::vector<double>& scores) {
  std::vector<std::uint32_t> first_of(scores.size(), 0);  // the last pair whose first word the chunk has, from 1 on
  std::vector<char> has_both(scores.size(), 0);
  std::vector<std::size_t> chunks;
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    corpus.for_each_posting(pairs[p].first, [&](std::size_t c, float) { first_of[c] = p + 1; });
    corpus.for_each_posting(pairs[p].second, [&](std::size_t c, float) {
      if (first_of[c] != p + 1 || has_both[c] != 0) return;
      has_both[c] = 1;
      chunks.push_back(c);
    });
  }
  const auto is_better = [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  };
  std::sort(chunks.begin(), chunks.end(), is_better);
  chunks.resize(std::min(chunks.size(), most_chunks_read));
  return chunks;
}

// Where a term stands among those of an item; their number where it does not.
std::size_t position_of(const ItemAnalysis& item, Term term) {
  const auto at = std::lower_bound(item.terms.begin(), item.terms.end(), term);
  const bool found = at != item.terms.end() && *at == term;
  return static_cast<std::size_t>((found ? at : item.terms.end()) - item.terms.begin());
}

bool stand_together(const ItemAnalysis& item, const Chunk& chunk, const WordPair& pair) {
  const std::size_t first = position_of(item, pair.first);
  const std::size_t second = position_of(item, pair.second);
  if (std::max(first, second) == item.terms.size()) return false;
  std::size_t since_first = together + 1;
  std::size_t since_second = together + 1;
  for (std::uint32_t k = item.atom_token_begin[chunk.first_atom]; k < item.atom_token_begin[chunk.last_atom]; ++k) {
    ++since_first;
    ++since_second;
    if (item.tokens[k] == first) since_first = 0;
    if (item.tokens[k] == second) since_second = 0;
    if (std::max(since_first, since_second) <= together) return true;
  }
  return false;
}

}  // namespace

void add_word_pairs(const Corpus& corpus, const Query& query, std::vector<double>& scores) {
  if (query.pairs().empty()) return;
  for (const std::size_t c : chunks_to_read(corpus, query.pairs(), scores)) {
    const std::size_t i = corpus.item_of_chunk(c);
    const ItemAnalysis& item = corpus.item(i);
    for (const WordPair& pair : query.pairs())
      if (stand_together(item, item.chunks[c - corpus.first_chunk(i)], pair)) scores[c] += pair.value;
  }
}

}  // namespace ctxmgr::engine
