#include "engine/selection/embedding_run.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_texts = 256;   // of one call, as the port promises
constexpr std::size_t entry_bytes = 128;  // of what the memo keeps beside the numbers, about

double cosine(const Vector& a, const Vector& b) {
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
bool are_comparable(const std::vector<Vector>& vectors, std::size_t texts, std::size_t length) {
  if (vectors.size() != texts) return false;
  if (length == 0) length = vectors[0].size();
  return std::all_of(vectors.begin(), vectors.end(), [length](const Vector& vector) {
    return !vector.empty() && vector.size() == length &&
           std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); });
  });
}

}  // namespace

EmbeddingRun::EmbeddingRun(Embedder& embedder, VectorMemo& memo, CallOptions call)
    : embedder_(embedder), memo_(memo), call_(std::move(call)) {}

Result<std::vector<double>> EmbeddingRun::similarities(std::string_view question,
                                                       const std::vector<std::string_view>& passages) {
  if (failed_) return tl::unexpected(*failed_);
  auto vectors = ask(question).and_then([&] { return vectors_of(passages); });
  if (!vectors) {
    failed_ = std::make_unique<Error>(vectors.error());
    return tl::unexpected(std::move(vectors.error()));
  }
  std::vector<double> similarities;
  similarities.reserve(passages.size());
  for (const auto& vector : *vectors) similarities.push_back(cosine(question_.vector, *vector));
  return similarities;
}

UsageMetadata EmbeddingRun::take_usage() { return std::exchange(usage_, {}); }

Result<void> EmbeddingRun::ask(std::string_view question) {
  if (!question_.vector.empty() && question_.text == question) return {};
  auto reply = embed({question}, EmbeddingInput::query);
  if (!reply) return tl::unexpected(std::move(reply.error()));
  question_ = {std::string(question), std::move(reply->model), std::move(reply->vectors[0])};
  return {};
}

Result<std::vector<std::shared_ptr<const Vector>>> EmbeddingRun::vectors_of(
    const std::vector<std::string_view>& passages) {
  const auto of_model = fingerprint(question_.model, memo_.seed());
  std::vector<std::shared_ptr<const Vector>> vectors;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;  // Of a text that is not known.
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    vectors.push_back(memo_.find(fingerprint(passages[i], of_model)));
    if (vectors[i] && vectors[i]->size() == question_.vector.size()) continue;
    std::vector<std::size_t>& same = places[passages[i]];
    if (same.empty()) missing.push_back(passages[i]);
    same.push_back(i);
  }
  for (std::size_t first = 0; first < missing.size(); first += most_texts) {
    const auto begin = missing.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::string_view> texts(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(most_texts, missing.size() - first)));
    auto reply = embed(texts, EmbeddingInput::passage);
    if (!reply) return tl::unexpected(std::move(reply.error()));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto vector = std::make_shared<const Vector>(std::move(reply->vectors[i]));
      if (reply->model == question_.model)
        memo_.insert(fingerprint(texts[i], of_model), vector, entry_bytes + vector->size() * sizeof(float));
      for (const std::size_t place : places[texts[i]]) vectors[place] = vector;
    }
  }
  return vectors;
}

Result<Embeddings> EmbeddingRun::embed(const std::vector<std::string_view>& texts, EmbeddingInput input) {
  try {
    auto reply = embedder_.embed(texts, input, call_);
    if (!reply) return reply;
    usage_ = usage_ + reply->usage;
    if (!are_comparable(reply->vectors, texts.size(), input == EmbeddingInput::query ? 0 : question_.vector.size()))
      return fail(ErrorCode::bad_data, "the embedder did not return one vector of the same length for each text");
    return reply;
  } catch (...) {
    return fail(ErrorCode::internal, "the embedder threw");
  }
}

}  // namespace ctxmgr::engine
