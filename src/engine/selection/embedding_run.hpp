#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "engine/index/content_memo.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

using Vector = std::vector<float>;

/// Vectors of passages by model and content: a text is embedded once.
using VectorMemo = ContentMemo<Vector>;

/// What one build asks of an embedding model: its question once, however often it selects, and the passages that the memo
/// does not have. After a failure it asks no more. Embedder and memo outlive it. Thread-safety: one thread at a time.
class EmbeddingRun {
 public:
  EmbeddingRun(Embedder& embedder, VectorMemo& memo, CallOptions call);

  /// The cosine of each passage with the question, -1 to 1. Any error of the embedder, and `bad_data` for a reply that is
  /// not one vector of finite numbers for each text, all of one length.
  [[nodiscard]] Result<std::vector<double>> similarities(std::string_view question,
                                                         const std::vector<std::string_view>& passages);

  /// Of all calls since it was taken last.
  [[nodiscard]] UsageMetadata take_usage();

  /// Why it asks no more; empty where nothing failed.
  [[nodiscard]] std::string failure() const { return failed_ ? failed_->message : std::string(); }

 private:
  struct Question {
    std::string text;
    std::string model;
    Vector vector;
  };

  Result<void> ask(std::string_view question);
  Result<std::vector<std::shared_ptr<const Vector>>> vectors_of(const std::vector<std::string_view>& passages);
  Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput input);

  Embedder& embedder_;
  VectorMemo& memo_;
  CallOptions call_;
  Question question_;  ///< It has no vector as long as none was asked for.
  std::unique_ptr<Error> failed_;
  UsageMetadata usage_;
};

}  // namespace ctxmgr::engine
