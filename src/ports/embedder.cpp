#include "ctxmgr/ports/embedder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ctxmgr {
namespace {

using EmbedFunction =
    std::function<Result<Embeddings>(const std::vector<std::string_view>&, EmbeddingInput, const CallOptions&)>;

/// One non-empty vector of finite numbers for each text, all of one length: whoever compares them relies on it.
bool are_comparable(const std::vector<std::vector<float>>& vectors, std::size_t texts) {
  if (vectors.size() != texts) return false;
  return std::all_of(vectors.begin(), vectors.end(), [&](const std::vector<float>& vector) {
    return !vector.empty() && vector.size() == vectors.front().size() &&
           std::all_of(vector.begin(), vector.end(), [](float number) { return std::isfinite(number); });
  });
}

class FunctionEmbedder final : public Embedder {
 public:
  explicit FunctionEmbedder(EmbedFunction embed) : embed_(std::move(embed)) {}

  Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput input,
                           const CallOptions& call) override try {
    auto embeddings = embed_(texts, input, call);
    if (embeddings && !are_comparable(embeddings->vectors, texts.size())) {
      return fail(ErrorCode::bad_data, "the embedder did not return one vector of the same length for each text");
    }
    return embeddings;
  } catch (...) {
    return fail(ErrorCode::internal, "the embedder threw an exception");
  }

 private:
  EmbedFunction embed_;
};

}  // namespace

Embedder::~Embedder() = default;

std::unique_ptr<Embedder> make_embedder(EmbedFunction embed) {
  return std::make_unique<FunctionEmbedder>(std::move(embed));
}

}  // namespace ctxmgr
