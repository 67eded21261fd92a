#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/usage.hpp"
#include "ctxmgr/ports/embedder.hpp"

namespace ctxmgr {

/// How much of an artifact goes into a context.
enum class ArtifactView {
  none,     ///< Nothing.
  extract,  ///< The passages that matter, in document order, with "…" where something is left out.
  dense,    ///< Everything, written shorter: JSON without blanks.
  full,     ///< The content as it is.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(ArtifactView value);

/// Bytes [offset, offset + length) of an artifact's content.
struct TextSpan {
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// The chosen text of one artifact.
struct SelectedText {
  std::size_t index = 0;  ///< Position of the artifact in the list that was given.
  ArtifactView view = ArtifactView::none;
  std::string text{};             ///< The text as it goes into the context, without its header.
  std::vector<TextSpan> spans{};  ///< The bytes that `text` comes from, ascending, ending on character boundaries.
  std::int64_t tokens = 0;        ///< Tokens of `text` alone, by the counter.
  double relevance = 0;           ///< Relevance to the query, 0 to 1, comparable within one call.
  std::string reason{};           ///< Why this view, a few words.
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

/// The question of a selection, and its limits.
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

  std::string separator = "\n";  ///< Between two chosen artifacts; counted.

  Embedder* embedder = nullptr;  ///< Optional: its ranking of passages is joined with the lexical one. Not owned.
  CallOptions call{};            ///< Deadline and cancellation of the embedder's calls.
};

/// A choice of views that fits its budget.
struct Selection {
  std::vector<SelectedText> chosen{};  ///< The chosen texts, in the order of the artifacts; none with view `none`.
  std::int64_t tokens = 0;             ///< Tokens of everything joined, by the counter; never above the budget.
  std::vector<double> relevance{};     ///< Relevance of every artifact, chosen or not, 0 to 1.
  std::vector<std::size_t> repeats{};  ///< Artifacts left out because chosen texts say the same, ascending.
  UsageMetadata embedder_usage{};
  std::string embedder_error{};  ///< Not empty: the embedder failed and the choice is lexical.
};

/// A view as the strategy of a plan; `dense` counts as full.
[[nodiscard]] constexpr ProcessingStrategy strategy_of(ArtifactView view) {
  return view == ArtifactView::full || view == ArtifactView::dense ? ProcessingStrategy::include_full
         : view == ArtifactView::extract                           ? ProcessingStrategy::rag_extract
                                                                   : ProcessingStrategy::exclude;
}

}  // namespace ctxmgr
