#include "engine/selection/embedding_fusion.hpp"

#include <algorithm>
#include <numeric>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double rank_constant = 60;
constexpr std::size_t most_chunks = 1024;
constexpr std::size_t longest_passage = 4096;  // bytes that are embedded of one

// Those that take part, ascending.
std::vector<std::size_t> chunks_to_compare(const std::vector<double>& score) {
  std::vector<std::size_t> chunks(score.size());
  std::iota(chunks.begin(), chunks.end(), 0);
  const std::size_t count = std::min(most_chunks, chunks.size());
  std::partial_sort(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(count), chunks.end(),
                    [&score](auto a, auto b) { return score[a] != score[b] ? score[a] > score[b] : a > b; });
  chunks.resize(count);
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

std::string_view text_of_chunk(const Corpus& corpus, std::size_t c) {
  const std::size_t i = corpus.item_of_chunk(c);
  const ItemAnalysis& item = corpus.item(i);
  const Chunk& chunk = item.chunks[c - corpus.first_chunk(i)];
  const std::size_t begin = item.atoms[chunk.first_atom].begin;
  const std::string_view text = corpus.text(i).substr(begin, item.atoms[chunk.last_atom - 1].end - begin);
  return text.substr(0, utf8::floor_boundary(text, longest_passage));
}

// Positions, the best score first; equal ones as they stand, so that the order is always the same.
std::vector<std::size_t> ranking(const std::vector<double>& score) {
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&score](auto a, auto b) { return score[a] > score[b]; });
  return order;
}

double reciprocal(std::size_t rank) { return 1 / (rank_constant + static_cast<double>(rank + 1)); }

// Of passages by their lexical scores and their similarities.
std::vector<std::size_t> joined_ranking(const std::vector<double>& lexical, const std::vector<double>& similarity) {
  std::vector<double> joined(lexical.size(), 0);
  const std::vector<std::size_t> by_words = ranking(lexical);
  const std::vector<std::size_t> by_meaning = ranking(similarity);
  for (std::size_t r = 0; r < joined.size(); ++r) {
    if (lexical[by_words[r]] > 0) joined[by_words[r]] += reciprocal(r);
    joined[by_meaning[r]] += reciprocal(r);
  }
  return ranking(joined);
}

}  // namespace

FusionReport fuse_embeddings(const Corpus& corpus, std::string_view question, EmbeddingRun& embeddings,
                             std::vector<double>& chunk_scores) {
  FusionReport report;
  const std::vector<std::size_t> chunks = chunks_to_compare(chunk_scores);
  if (chunks.empty() || question.empty()) return report;
  std::vector<std::string_view> texts;
  std::vector<double> lexical;
  for (const std::size_t c : chunks) {
    texts.push_back(text_of_chunk(corpus, c));
    lexical.push_back(chunk_scores[c]);
  }
  const auto similarity = embeddings.similarities(question, texts);
  report.usage = embeddings.take_usage();
  if (!similarity) {
    report.error = similarity.error().message;
    return report;
  }
  const std::vector<std::size_t> order = joined_ranking(lexical, *similarity);
  std::sort(lexical.rbegin(), lexical.rend());
  const auto matching = static_cast<std::size_t>(
      std::find_if(lexical.begin(), lexical.end(), [](double score) { return score <= 0; }) - lexical.begin());
  const double last = matching > 0 ? lexical[matching - 1] : 1;
  for (std::size_t r = 0; r < order.size(); ++r)
    chunk_scores[chunks[order[r]]] = r < matching ? lexical[r] : last * reciprocal(r - matching) / reciprocal(0);
  return report;
}

}  // namespace ctxmgr::engine
