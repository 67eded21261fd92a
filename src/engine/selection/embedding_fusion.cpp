#include "engine/selection/embedding_fusion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ctxmgr::engine {
namespace {

constexpr double rank_constant = 60;
constexpr std::size_t most_chunks = 256;

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  const double norm = std::sqrt(aa) * std::sqrt(bb);
  return norm > 0 ? dot / norm : 0;
}

// One vector of finite numbers for each text, all of this length; 0: of any one length.
bool are_comparable(const std::vector<std::vector<float>>& vectors, std::size_t texts, std::size_t length) {
  if (vectors.size() != texts) return false;
  if (length == 0) length = vectors[0].size();
  return std::all_of(vectors.begin(), vectors.end(), [length](const std::vector<float>& vector) {
    return !vector.empty() && vector.size() == length &&
           std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); });
  });
}

Result<Embeddings> embed(Embedder& embedder, const std::vector<std::string_view>& texts, EmbeddingInput input,
                         const CallOptions& call, std::size_t length) {
  try {
    auto reply = embedder.embed(texts, input, call);
    if (reply && !are_comparable(reply->vectors, texts.size(), length))
      return fail(ErrorCode::bad_data, "the embedder did not return one vector of the same length for each text");
    return reply;
  } catch (...) {
    return fail(ErrorCode::internal, "the embedder threw");
  }
}

std::vector<std::size_t> best_chunks(const Corpus& corpus, const Relevance& relevance) {
  std::vector<std::size_t> chunks(corpus.chunks());
  std::iota(chunks.begin(), chunks.end(), 0);
  const std::size_t count = std::min(most_chunks, chunks.size());
  std::partial_sort(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(count), chunks.end(),
                    [&relevance](std::size_t a, std::size_t b) {
                      return relevance.chunk[a] != relevance.chunk[b] ? relevance.chunk[a] > relevance.chunk[b] : a < b;
                    });
  chunks.resize(count);
  return chunks;
}

std::string_view text_of_chunk(const Corpus& corpus, std::size_t c) {
  const std::size_t i = corpus.item_of_chunk(c);
  const ItemAnalysis& item = corpus.item(i);
  const Chunk& chunk = item.chunks[c - corpus.first_chunk(i)];
  const std::size_t begin = item.atoms[chunk.first_atom].begin;
  return corpus.text(i).substr(begin, item.atoms[chunk.last_atom - 1].end - begin);
}

// Best first; equal scores by number, so that the order is always the same.
template <class Score>
std::vector<std::size_t> ranking(std::vector<std::size_t> items, Score score) {
  std::sort(items.begin(), items.end(), [&score](std::size_t a, std::size_t b) {
    const double x = score(a);
    const double y = score(b);
    return x != y ? x > y : a < b;
  });
  return items;
}

void reorder(const std::map<std::size_t, double>& similarity, Relevance& relevance) {
  std::vector<std::size_t> items;
  for (const auto& [item, cosine_of_best] : similarity) items.push_back(item);
  std::map<std::size_t, double> fused;
  const auto add_ranks = [&fused](const std::vector<std::size_t>& order) {
    for (std::size_t r = 0; r < order.size(); ++r) fused[order[r]] += 1 / (rank_constant + static_cast<double>(r + 1));
  };
  add_ranks(ranking(items, [&relevance](std::size_t i) { return relevance.item[i]; }));
  add_ranks(ranking(items, [&similarity](std::size_t i) { return similarity.at(i); }));
  std::vector<double> scores;
  for (const std::size_t i : items) scores.push_back(relevance.item[i]);
  std::sort(scores.rbegin(), scores.rend());
  const std::vector<std::size_t> order = ranking(items, [&fused](std::size_t i) { return fused.at(i); });
  for (std::size_t r = 0; r < order.size(); ++r) relevance.item[order[r]] = scores[r];
}

}  // namespace

FusionReport fuse_embeddings(const Corpus& corpus, std::string_view query, Embedder& embedder, const CallOptions& call,
                             Relevance& relevance) {
  FusionReport report;
  const std::vector<std::size_t> chunks = best_chunks(corpus, relevance);
  if (chunks.empty() || query.empty()) return report;
  std::vector<std::string_view> texts;
  for (const std::size_t c : chunks) texts.push_back(text_of_chunk(corpus, c));
  const auto asked = embed(embedder, {query}, EmbeddingInput::query, call, 0);
  if (asked) report.usage = report.usage + asked->usage;
  const auto found = asked ? embed(embedder, texts, EmbeddingInput::passage, call, asked->vectors[0].size()) : asked;
  if (!found) {
    report.error = found.error().message;
    return report;
  }
  report.usage = report.usage + found->usage;
  std::map<std::size_t, double> similarity;
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    const auto [at, fresh] = similarity.try_emplace(corpus.item_of_chunk(chunks[k]), -1.0);
    at->second = std::max(at->second, cosine(asked->vectors[0], found->vectors[k]));
  }
  reorder(similarity, relevance);
  return report;
}

}  // namespace ctxmgr::engine
