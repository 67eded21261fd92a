#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// How much of an artifact goes into a context.
enum class ArtifactView {
  none,     ///< Nothing.
  mask,     ///< One line that says what was there, as given by `SelectionRequest::masks`; it has no header.
  extract,  ///< The passages that matter, in document order, with "…" where something is left out.
  dense,    ///< Everything, written shorter: JSON without blanks, repeated lines once with their number.
  full,     ///< The content as it is.
};

/// Bytes [offset, offset + length) of an artifact's content.
struct TextSpan {
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// What was chosen of one artifact.
struct SelectedText {
  std::size_t index = 0;  ///< Position of the artifact in the list that was given.
  ArtifactView view = ArtifactView::none;
  std::string text{};             ///< The text as it goes into the context, without its header.
  std::vector<TextSpan> spans{};  ///< The bytes that `text` comes from, ascending, ending on character boundaries.
  std::int64_t tokens = 0;        ///< Tokens of `text` alone, by the counter.
  double relevance = 0;           ///< Relevance to the query, 0 to 1, comparable within one call.
  std::string reason{};           ///< Why this view, a few words.
};

/// What to select for, and within what.
struct SelectionRequest {
  std::string query{};
  std::vector<std::string> hints{};  ///< Text of recent turns, newest first: they say what a short query refers to.
  /// Turns and tool results from this one on came after the question: hints count in full there, and little before it
  /// unless the question says nothing by itself. By default none did.
  std::size_t question_at = static_cast<std::size_t>(-1);
  std::int64_t budget_tokens = 0;  ///< Most tokens of headers, texts and separators, counted as one text.
  ContextGoal goal = ContextGoal::synthesis;

  /// Line written before an artifact's text once any of it is chosen; counted. One for each artifact, or none at all.
  std::vector<std::string> headers{};

  /// Line that may stand for an artifact of which nothing else is chosen, in place of header and text (see `mask`);
  /// counted. All of them together take at most a twentieth of the budget, and at most 400 tokens. One for each artifact
  /// (empty: none), or none at all.
  std::vector<std::string> masks{};

  std::string separator = "\n";      ///< Between two chosen artifacts; counted.
  std::int64_t overhead_tokens = 0;  ///< What each chosen artifact costs beyond its text (message framing).

  /// Where trusted artifacts of at least equal relevance want the room: the share of the budget that one untrusted
  /// artifact, and all of them together, may take.
  double untrusted_one_share = 0.25;
  double untrusted_share = 0.60;

  Embedder* embedder = nullptr;  ///< Optional: its ranking of passages is joined with the lexical one. Not owned.
  CallOptions call{};            ///< Deadline and cancellation of the embedder's calls.
};

/// A choice of views that fits its budget.
struct Selection {
  std::vector<SelectedText> chosen{};  ///< What was chosen, in the order of the artifacts; none with view `none`.
  std::int64_t tokens = 0;             ///< Tokens of everything joined, by the counter; never above the budget.
  std::vector<double> relevance{};     ///< Relevance of every artifact, chosen or not, 0 to 1.
  std::vector<std::size_t> repeats{};  ///< Artifacts left out because what is chosen says the same, ascending.
  UsageMetadata embedder_usage{};
  std::string embedder_error{};  ///< Not empty: the embedder failed and the choice is lexical.
};

/// A short passage that speaks for an artifact.
struct RetrievalHit {
  TextSpan span{};
  double score = 0;  ///< 0 to 1, comparable within one call.
};

/// How well each artifact answers a query, and where.
struct RankedArtifact {
  double relevance = 0;              ///< 0 to 1, comparable within one call.
  std::vector<RetrievalHit> hits{};  ///< Best first.
};

struct RetrieverOptions {
  /// Memory for analyses (chunks and terms) of what was seen before, in bytes. Affects time, never results. An analysis
  /// takes about twice the size of its text. As much again for vectors of passages. 0: nothing is kept.
  std::size_t cache_bytes = std::size_t{64} << 20;
};

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
  explicit Retriever(RetrieverOptions options = {});
  Retriever(Retriever&&) noexcept;
  Retriever& operator=(Retriever&&) noexcept;
  ~Retriever();

  /// The views of the artifacts that together serve the query best within the budget.
  [[nodiscard]] Selection select(const std::vector<Artifact>& artifacts, const SelectionRequest& request,
                                 const TokenCounter& counter) const;

  /// Relevance and best passages of every artifact, at most `max_hits` for each; what a planner is shown.
  [[nodiscard]] std::vector<RankedArtifact> rank(const std::vector<Artifact>& artifacts, std::string_view query,
                                                 const std::vector<std::string>& hints, std::size_t max_hits) const;

  /// The passages of one artifact that answer the query, within `target_tokens`; its full text where that fits. A query
  /// that matches nothing gives what `summarize` gives.
  [[nodiscard]] SelectedText extract(const Artifact& artifact, std::string_view query, std::int64_t target_tokens,
                                     const TokenCounter& counter) const;

  /// A summary made of the artifact's own sentences and lines: what is central, new, and close to the focus (which may
  /// be empty). Logs, JSON, diffs, tables and code are reduced by their structure first. Lines that report errors stay
  /// as long as they fit.
  [[nodiscard]] SelectedText summarize(const Artifact& artifact, std::string_view focus, std::int64_t target_tokens,
                                       const TokenCounter& counter) const;

  /// The whole content written shorter without loss; the content itself where that does not pay.
  [[nodiscard]] SelectedText condense(const Artifact& artifact, const TokenCounter& counter) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One line about what is in an artifact, for a planner to read: JSON keys and row counts, headings, head and tail.
/// At most `max_chars` code points, without line breaks.
[[nodiscard]] CTXMGR_API std::string digest(const Artifact& artifact, std::size_t max_chars = 160);

/// The line that stands for content left out: `[web_search result omitted: 412 lines, 6100 tokens, 2 errors; <handle>]`,
/// followed by its error lines, if any. `handle` says how to get the whole; empty: nothing is promised.
[[nodiscard]] CTXMGR_API std::string mask(const Artifact& artifact, std::int64_t tokens, std::string_view handle);

/// What a view amounts to in a plan; `dense` counts as full, a mask as left out.
[[nodiscard]] constexpr ProcessingStrategy strategy_of(ArtifactView view) {
  return view == ArtifactView::full || view == ArtifactView::dense ? ProcessingStrategy::include_full
         : view == ArtifactView::extract                           ? ProcessingStrategy::rag_extract
                                                                   : ProcessingStrategy::exclude;
}

}  // namespace ctxmgr
