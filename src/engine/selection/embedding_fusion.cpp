#include "engine/selection/embedding_fusion.hpp"

#include <algorithm>
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

// How much closer than the average one each passage is to the question: 1 for the closest, 0 for the average and below.
// Squared, since only what stands out says something.
std::vector<double> closeness(const std::vector<double>& similarity) {
  const double best = *std::max_element(similarity.begin(), similarity.end());
  const double mean =
      std::accumulate(similarity.begin(), similarity.end(), 0.0) / static_cast<double>(similarity.size());
  std::vector<double> close;
  close.reserve(similarity.size());
  for (const double s : similarity) {
    const double share = best > mean ? std::max(0.0, (s - mean) / (best - mean)) : 0;
    close.push_back(share * share);
  }
  return close;
}

}  // namespace

FusionReport fuse_embeddings(const Corpus& corpus, std::string_view question, double open, EmbeddingRun& embeddings,
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
  const std::vector<double> close = closeness(*similarity);
  const double best = *std::max_element(lexical.begin(), lexical.end());
  const double most = best > 0 ? (closed_share + open_share * open) * best : 1;
  for (std::size_t i = 0; i < chunks.size(); ++i) chunk_scores[chunks[i]] = std::max(lexical[i], close[i] * most);
  return report;
}

}  // namespace ctxmgr::engine
