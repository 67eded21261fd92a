#include <algorithm>
#include <cmath>
#include <string_view>

#include "ctxmgr/testing/conformance.hpp"
#include "testing/promises.hpp"

namespace ctxmgr::testing {
namespace {

using Vector = std::vector<float>;

constexpr std::string_view red = "The fire engine is red.";
constexpr std::string_view sum = "Seventeen and four make twenty-one.";

double distance(const Vector& a, const Vector& b) {
  double sum_of_squares = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum_of_squares += difference * difference;
  }
  return std::sqrt(sum_of_squares);
}

bool is_usable(const Vector& vector) {
  return !vector.empty() && std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); });
}

/// The embeddings, once they have one usable vector of the same length for each text.
Result<Embeddings> embed(Promises& promises, Embedder& embedder, const std::vector<std::string_view>& texts,
                         EmbeddingInput input = EmbeddingInput::passage) {
  auto embeddings = embedder.embed(texts, input, {});
  if (!embeddings) {
    promises.expect(false, "embed failed on plain texts: " + std::string(to_string(embeddings.error().code)));
    return embeddings;
  }
  const auto& vectors = embeddings->vectors;
  if (vectors.size() != texts.size())
    return fail(ErrorCode::bad_data, "embed does not return one vector for each text");
  for (const auto& vector : vectors) {
    if (!is_usable(vector)) return fail(ErrorCode::bad_data, "a vector is empty or has a number that is not finite");
    if (vector.size() != vectors.front().size()) return fail(ErrorCode::bad_data, "the vectors differ in length");
  }
  return embeddings;
}

void check_shape(Promises& promises, Embedder& embedder) {
  const std::vector<std::string_view> texts = {red, "", "žluťoučký kůň 東京 🐴", sum};
  const auto passages = embed(promises, embedder, texts);
  const auto query = embed(promises, embedder, {red}, EmbeddingInput::query);
  for (const auto* embeddings : {&passages, &query}) {
    if (!*embeddings && embeddings->error().code == ErrorCode::bad_data) {
      promises.expect(false, embeddings->error().message);
    }
  }
  if (!passages || !query) return;
  promises.expect(passages->model == query->model, "a query's vector comes from another model than a passage's");
  promises.expect(passages->vectors.front().size() == query->vectors.front().size(),
                  "a query's vector has another length than a passage's");
}

void check_order(Promises& promises, Embedder& embedder) {
  const auto one_way = embed(promises, embedder, {red, sum});
  const auto other_way = embed(promises, embedder, {sum, red});
  if (!one_way || !other_way) return;
  promises.expect(
      distance(one_way->vectors[0], other_way->vectors[1]) <= distance(one_way->vectors[0], other_way->vectors[0]),
      "the vectors are not in the order of the texts");
}

void check_counts(Promises& promises, Embedder& embedder) {
  const auto nothing = embedder.embed({}, EmbeddingInput::passage, {});
  promises.expect(nothing && nothing->vectors.empty(), "no texts do not give no vectors");
  const auto most = embedder.embed(std::vector<std::string_view>(256, red), EmbeddingInput::passage, {});
  promises.expect(most && most->vectors.size() == 256, "256 texts do not give 256 vectors");
}

void check_embedder_threads(Promises& promises, Embedder& embedder) {
  promises.check_in_threads("embed from several threads", [&](Promises& own, std::size_t) {
    const auto embeddings = embedder.embed({red, sum}, EmbeddingInput::passage, {});
    own.expect(embeddings && embeddings->vectors.size() == 2, "embed fails when several threads call it");
  });
}

}  // namespace

std::vector<std::string> check_embedder(Embedder& embedder) {
  Promises promises;
  promises.check("embed", [&] { check_shape(promises, embedder); });
  promises.check("embed in two orders", [&] { check_order(promises, embedder); });
  promises.check("embed of none and of many texts", [&] { check_counts(promises, embedder); });
  promises.check("embed from several threads", [&] { check_embedder_threads(promises, embedder); });
  return promises.take_broken();
}

}  // namespace ctxmgr::testing
