#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/model_info.hpp"
#include "ctxmgr/core/usage.hpp"

namespace ctxmgr {

/// Windows, limits, prices and vocabularies by model name. Versioned names ("gpt-4o-2024-08-06") and names with a
/// provider ("openai/gpt-4o") find their base model. A value with shared, immutable content: copies are cheap.
/// Thread-safety: const methods may be called from several threads at once.
class CTXMGR_API ModelCatalog {
 public:
  /// The snapshot that is compiled in; `as_of()` says from when.
  ModelCatalog();

  /// From the text of a LiteLLM or models.dev file, or of our own `data/models.json`; which one, it finds out.
  /// `invalid_argument` for anything else.
  [[nodiscard]] static Result<ModelCatalog> parse(std::string_view json);

  /// The same catalogue with one entry added or replaced. A price that cannot be one (negative, infinite, not a number)
  /// is unknown in it, and a limit that cannot be one is the default.
  [[nodiscard]] ModelCatalog with(ModelInfo info) const;

  /// Never fails: for a model that it does not have, the defaults of `ModelInfo`, with `known == false`.
  [[nodiscard]] ModelInfo find(std::string_view model) const;

  /// Names that a misspelt one may have meant, the nearest first and three at most; none where nothing is near. Compares with
  /// every name: for messages of errors, not for every build.
  [[nodiscard]] std::vector<std::string> similar(std::string_view model) const;

  /// Date of the snapshot, "2026-11-20"; empty where the file did not say.
  [[nodiscard]] std::string_view as_of() const;

 private:
  struct Impl;
  explicit ModelCatalog(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// The price of a usage at a model's prices, cached input and cache writes apart. Zero where there is no price.
[[nodiscard]] CTXMGR_API CostMetadata cost_of(const UsageMetadata& usage, const ModelInfo& model);

}  // namespace ctxmgr
