#include "ctxmgr/ports/cached_embedder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "core/sha256.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

using Vector = std::vector<float>;
using Texts = std::vector<std::string_view>;

constexpr std::size_t scale_bytes = 4;
constexpr float most_steps = 127;

bool is_finite(const Vector& vector) {
  return std::all_of(vector.begin(), vector.end(), [](float number) { return std::isfinite(number); });
}

std::string vector_key_of(std::string_view model, std::string_view text) {
  Sha256 hash;
  hash.update_field(model);
  hash.update_field(text);
  return hash.bytes();
}

/// The size of one step as a 32-bit float, little end first, and a signed byte for each number.
std::string encode_vector(const Vector& vector) {
  float most = 0;
  for (const float number : vector) most = std::max(most, std::abs(number));
  const float step = most / most_steps;
  std::string entry;
  entry.reserve(scale_bytes + vector.size());
  const auto bits = std::bit_cast<std::uint32_t>(step);
  for (unsigned shift = 0; shift < 32; shift += 8) entry.push_back(static_cast<char>(bits >> shift & 0xff));
  for (const float number : vector)
    entry.push_back(static_cast<char>(step > 0 ? std::clamp(std::lround(number / step), -127L, 127L) : 0));
  return entry;
}

/// Empty where the entry is none.
Vector decode_vector(std::string_view entry) {
  if (entry.size() <= scale_bytes) return {};
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < scale_bytes; ++i)
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(entry[i])) << (8 * i);
  const auto step = std::bit_cast<float>(bits);
  if (!std::isfinite(step * most_steps) || step < 0) return {};
  Vector vector;
  vector.reserve(entry.size() - scale_bytes);
  for (const char byte : entry.substr(scale_bytes))
    vector.push_back(step * static_cast<float>(static_cast<std::int8_t>(byte)));
  return vector;
}

class CachedEmbedder final : public Embedder {
 public:
  CachedEmbedder(std::shared_ptr<Embedder> embedder, std::shared_ptr<KeyValueStore> store,
                 std::optional<std::chrono::milliseconds> ttl)
      : embedder_(std::move(embedder)), store_(std::move(store)), ttl_(ttl) {}

  Result<Embeddings> embed(const Texts& texts, EmbeddingInput input, const CallOptions& call) override {
    if (!embedder_) return fail(ErrorCode::invalid_argument, "there is no embedder to keep vectors of");
    return guarded([&]() -> Result<Embeddings> {
      if (!store_ || input == EmbeddingInput::query || texts.empty()) return ask(texts, input, call);
      auto found = find(texts, call);
      Texts missing;
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (found.vectors[i].empty()) missing.push_back(texts[i]);
      if (missing.empty()) return found;
      auto reply = ask(missing, input, call);
      if (!reply) return reply;
      keep(missing, *reply, call);
      if (missing.size() == texts.size()) return reply;
      // Another model answers now than the one whose vectors were found.
      if (reply->model != found.model || reply->vectors[0].size() != length_of(found))
        return renew(texts, *reply, call);
      found.usage = reply->usage;
      auto next = reply->vectors.begin();
      for (Vector& vector : found.vectors)
        if (vector.empty()) vector = std::move(*next++);
      return found;
    });
  }

 private:
  static std::size_t length_of(const Embeddings& embeddings) {
    std::size_t length = 0;
    for (const Vector& vector : embeddings.vectors) length = std::max(length, vector.size());
    return length;
  }

  /// From the embedder itself, whose model is known then.
  Result<Embeddings> ask(const Texts& texts, EmbeddingInput input, const CallOptions& call) {
    auto reply = embedder_->embed(texts, input, call);
    if (!reply) return reply;
    if (reply->vectors.size() != texts.size())
      return fail(ErrorCode::bad_data, "the embedder did not return one vector for each text");
    const std::lock_guard lock(mutex_);
    model_ = reply->model;
    return reply;
  }

  Result<Embeddings> renew(const Texts& texts, const Embeddings& before, const CallOptions& call) {
    auto reply = ask(texts, EmbeddingInput::passage, call);
    if (!reply) return reply;
    keep(texts, *reply, call);
    reply->usage = reply->usage + before.usage;
    return reply;
  }

  /// What is kept, all of one length; empty vectors for the rest.
  Embeddings find(const Texts& texts, const CallOptions& call) {
    Embeddings found;
    found.vectors.resize(texts.size());
    {
      const std::lock_guard lock(mutex_);
      if (!model_) return found;  // Whose vectors to look for is not known before the first answer.
      found.model = *model_;
    }
    std::vector<std::string> keys;
    keys.reserve(texts.size());
    for (const std::string_view text : texts) keys.push_back(vector_key_of(found.model, text));
    const auto entries = guarded([&] { return store_->read(cached_vectors_namespace, keys, call); });
    if (!entries || entries->size() != texts.size()) return found;
    std::size_t length = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!(*entries)[i]) continue;
      Vector vector = decode_vector((*entries)[i]->value);
      if (length == 0) length = vector.size();
      if (vector.size() == length) found.vectors[i] = std::move(vector);
    }
    return found;
  }

  void keep(const Texts& texts, const Embeddings& reply, const CallOptions& call) {
    std::vector<KeyValueWrite> changes;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!is_finite(reply.vectors[i])) continue;
      std::string key = vector_key_of(reply.model, texts[i]);
      if (!keys.insert(key).second) continue;  // A write takes a key once.
      changes.push_back({std::move(key), encode_vector(reply.vectors[i]), ttl_, {}});
    }
    static_cast<void>(guarded([&] { return store_->write(cached_vectors_namespace, changes, call); }));
  }

  const std::shared_ptr<Embedder> embedder_;
  const std::shared_ptr<KeyValueStore> store_;
  const std::optional<std::chrono::milliseconds> ttl_;
  std::mutex mutex_;
  std::optional<std::string> model_;  ///< That answered last.
};

}  // namespace

std::unique_ptr<Embedder> make_cached_embedder(std::shared_ptr<Embedder> embedder, std::shared_ptr<KeyValueStore> store,
                                               std::optional<std::chrono::milliseconds> ttl) {
  return std::make_unique<CachedEmbedder>(std::move(embedder), std::move(store), ttl);
}

}  // namespace ctxmgr
