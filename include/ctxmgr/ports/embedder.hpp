#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/usage.hpp"

namespace ctxmgr {

enum class EmbeddingInput { query, passage };
[[nodiscard]] CTXMGR_API std::string_view to_string(EmbeddingInput value);

struct Embeddings {
  std::string model{};                        ///< Vectors are kept and compared within one model only.
  std::vector<std::vector<float>> vectors{};  ///< One for each text, all of one length; need not be normalised.
  UsageMetadata usage{};
};

/// Port: an embedding model. Optional: without one, retrieval is lexical. Called while a build is prepared: once
/// with its question, and then with the passages whose vectors are not kept from before. Those are at most 1 024 in all, and
/// up to 256 texts of about 400 tokens at a time. Called by several builds at once. Must not throw. If it fails, that build is
/// lexical, and its metadata says so.
class CTXMGR_API Embedder {
 public:
  Embedder() = default;
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;
  virtual ~Embedder();

  [[nodiscard]] virtual Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput input,
                                                 const CallOptions& call) = 0;
};

/// An embedder from a function that keeps the contract above, except that it may throw (`internal`).
[[nodiscard]] CTXMGR_API std::unique_ptr<Embedder> make_embedder(
    std::function<Result<Embeddings>(const std::vector<std::string_view>&, EmbeddingInput, const CallOptions&)> embed);

}  // namespace ctxmgr
