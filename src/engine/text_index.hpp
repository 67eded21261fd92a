#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr::engine {

/// Who wrote an item, as far as choosing goes.
enum class Speaker { document, user, assistant, tool };

/// What the index has to know of an item. The views are read during `append` only.
struct ItemText {
  std::string_view text{};   ///< As it would go into the context: for a message "role: content" and its calls.
  std::string_view title{};  ///< Document title, file name; indexed, never part of the text.
  std::string_view call{};   ///< Of a tool's result: tool name and arguments. The same call later supersedes it.
  ContentFormat format = ContentFormat::automatic;
  Speaker speaker = Speaker::document;
  Trust trust = Trust::untrusted;
};

/// Append-only search index over texts that it does not keep.
///
/// One index per thread: append each message once, in order; when the thread has grown, append the new messages only.
/// Or one per build, for the artifacts of that build. What a query over [first, last) gives depends on the texts in
/// that range alone, not on how or when they were appended, nor on what was appended after them.
///
/// A query costs what its terms occur in, not the length of the thread.
///
/// Thread-safety: const member functions may be called concurrently; `append` needs exclusive access.
class TextIndex {
 public:
  TextIndex();
  TextIndex(TextIndex&&) noexcept;
  TextIndex& operator=(TextIndex&&) noexcept;
  ~TextIndex();

  void append(const ItemText& item);

  [[nodiscard]] std::size_t size() const;   ///< Number of items.
  [[nodiscard]] std::size_t bytes() const;  ///< Memory taken, about.

  class Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// A range of an index that takes part in a selection, and how to read its texts.
struct IndexSlice {
  const TextIndex* index = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;  ///< One past the last; at most `index->size()`.

  /// The same text that item `i` was appended with, valid until the selection returns. Called for few items only.
  std::function<std::string_view(std::size_t)> text{};

  /// Line written before the item's text once any of it is chosen; may be empty (null function: no headers).
  std::function<std::string_view(std::size_t)> header{};
};

/// The best selection over several slices, in their order: `SelectedText::index` counts through slice 0, then slice 1
/// and so on, from each slice's `first`. `request.headers` is not used here. `Selection::relevance` is left empty where
/// the slices hold more than 4 096 items; the chosen texts carry their own.
///
///     TextIndex thread;                      // kept with the thread, grows by its new messages
///     TextIndex artifacts;                   // this build's
///     select({{&thread, 0, cutoff, message_text}, {&artifacts, 0, artifacts.size(), artifact_text}}, request, counter);
[[nodiscard]] Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request,
                               const TokenCounter& counter);

}  // namespace ctxmgr::engine
