#include "engine/selection/embedding_fusion.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

// Of the best lexical score, for the closest passage: where one place has all words of a question, and what is added where
// none has any.
constexpr double closed_share = 0.3;
constexpr double open_share = 0.4;
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

// How far the closest passage stands before the next, of what it stands before the average: 1 where all others are alike.
double lead_of(std::vector<double> similarity, double mean) {
  if (similarity.size() < 2) return 0;
  std::partial_sort(similarity.begin(), similarity.begin() + 2, similarity.end(), std::greater<>());
  return similarity[0] > mean ? (similarity[0] - std::max(similarity[1], mean)) / (similarity[0] - mean) : 0;
}

// How much closer than the average one each passage is to the question: 1 for the closest, 0 for the average and below.
// Squared, since only what stands out says something.
std::vector<double> closeness(const std::vector<double>& similarity, double mean) {
  const double best = *std::max_element(similarity.begin(), similarity.end());
  std::vector<double> close;
  close.reserve(similarity.size());
  for (const double s : similarity) {
    const double share = best > mean ? std::max(0.0, (s - mean) / (best - mean)) : 0;
    close.push_back(share * share);
  }
  return close;
}

}  // namespace

void fuse_embeddings(const Corpus& corpus, std::string_view question, double open, EmbeddingRun& embeddings,
                     std::vector<double>& chunk_scores) {
  const std::vector<std::size_t> chunks = chunks_to_compare(chunk_scores);
  if (chunks.empty() || question.empty()) return;
  std::vector<std::string_view> texts;
  std::vector<double> lexical;
  for (const std::size_t c : chunks) {
    texts.push_back(text_of_chunk(corpus, c));
    lexical.push_back(chunk_scores[c]);
  }
  const auto similarity = embeddings.similarities(question, texts);
  if (!similarity) return;
  const double mean =
      std::accumulate(similarity->begin(), similarity->end(), 0.0) / static_cast<double>(similarity->size());
  const std::vector<double> close = closeness(*similarity, mean);
  const double best = *std::max_element(lexical.begin(), lexical.end());
  // What stands clear of all others is as good as what has the words.
  const double share = closed_share + open_share * open;
  const double clear = share + (1 - share) * lead_of(*similarity, mean);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const double most = best <= 0 ? 1 : best * (close[i] < 1 ? share : clear);
    chunk_scores[chunks[i]] = std::max(lexical[i], close[i] * most);
  }
}

}  // namespace ctxmgr::engine
