#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// Finds and chooses text for a query without any model: structural chunks, BM25, neighbours and a knapsack over the
/// views of each artifact. Pure functions of their arguments (and of the embedder's replies, where there is one); the
/// memo of analyses only saves time. Never fails on content: any bytes will do.
///
///     const Retriever retriever;
///     SelectionRequest request;
///     request.query = "What did the audit find?";
///     request.budget_tokens = 8'000;
///     const Selection selection = retriever.select(artifacts, request, *counter);
///
/// Thread-safety: all const member functions may be called concurrently.
class CTXMGR_API Retriever {
 public:
  /// `cache_bytes`: memory for analyses (chunks and terms) of known texts. Affects time, never results. An
  /// analysis takes about twice the size of its text. As much again for vectors of passages. 0: nothing is kept.
  explicit Retriever(std::size_t cache_bytes = std::size_t{64} << 20);
  Retriever(Retriever&&) noexcept;
  Retriever& operator=(Retriever&&) noexcept;
  ~Retriever();

  /// The views of the artifacts that together serve the query best within the budget.
  [[nodiscard]] Selection select(const std::vector<Artifact>& artifacts, const SelectionRequest& request,
                                 const TokenCounter& counter) const;

  /// Relevance and best passages of every artifact, at most `max_hits` for each: a planner is shown these.
  [[nodiscard]] std::vector<RankedArtifact> rank(const std::vector<Artifact>& artifacts, std::string_view query,
                                                 const std::vector<std::string>& hints, std::size_t max_hits) const;

  /// The passages of one artifact that answer the query, within `target_tokens`; its full text where that fits. A query
  /// that matches nothing gives what `summarize` gives.
  [[nodiscard]] SelectedText extract(const Artifact& artifact, std::string_view query, std::int64_t target_tokens,
                                     const TokenCounter& counter) const;

  /// A summary made of the artifact's own sentences and lines: the passages that answer the focus; its beginning where
  /// nothing does, or where the focus is empty. Of a tool's result and of a log, lines that report errors stay as long as
  /// they fit.
  [[nodiscard]] SelectedText summarize(const Artifact& artifact, std::string_view focus, std::int64_t target_tokens,
                                       const TokenCounter& counter) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The content of an artifact in one line: its beginning and its last line. At most `max_chars` code points, without line
/// breaks.
[[nodiscard]] CTXMGR_API std::string digest(const Artifact& artifact, std::size_t max_chars = 160);

/// The line that stands for content left out: `[bash(make test) result omitted: 412 lines, 6100 tokens, 2 error lines;
/// <handle>]`, followed by the first of them. Only a log or a failed call has error lines. `handle` says how to get the
/// whole; empty: nothing is promised.
[[nodiscard]] CTXMGR_API std::string mask(const Artifact& artifact, std::int64_t tokens, std::string_view handle);

}  // namespace ctxmgr
