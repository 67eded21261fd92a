#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/index/item_analysis.hpp"
#include "engine/index/posting_list.hpp"

namespace ctxmgr::engine {

class EmbeddingRun;

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
  /// Analyses an item and appends it.
  void append(const ItemText& item);

  /// Appends an item that was analysed before.
  void append(std::shared_ptr<const ItemAnalysis> item);

  [[nodiscard]] std::size_t size() const { return items_.size(); }  ///< Number of items.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }        ///< Memory taken, about.

  /// The analysis of an item; null where it is no longer kept.
  [[nodiscard]] const ItemAnalysis* item(std::size_t i) const { return items_[i].get(); }

  /// Keeps the analyses of the newest items only, most of an index's memory. What is searched stays. Who needs another
  /// analysis makes it again, see `IndexSlice::analysis`.
  void forget_all_but_newest(std::size_t items);

  /// Length of a chunk in terms.
  [[nodiscard]] double chunk_length(std::size_t chunk) const { return static_cast<double>(chunk_length_[chunk]); }

  /// Items that have a title, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& titled() const { return titled_; }

  [[nodiscard]] Speaker speaker(std::size_t i) const { return speakers_[i]; }
  [[nodiscard]] Language language(std::size_t i) const { return languages_[i]; }
  [[nodiscard]] const CallSubject& call_of(std::size_t i) const { return calls_[i]; }

  /// Whether any of items [first, last) answers a call.
  [[nodiscard]] bool answers_calls(std::size_t first, std::size_t last) const;

  /// The last item before `last` that answers this call; `size()` where there is none.
  [[nodiscard]] std::size_t newest_answer(Term call, std::size_t last) const;

  /// Items whose call has this subject, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& answers_about(Term subject) const;

  /// Number of chunks before item `i`; `i` may be `size()`.
  [[nodiscard]] std::size_t chunks_before(std::size_t i) const { return chunk_begin_[i]; }

  /// Sum of the chunk lengths before item `i`; `i` may be `size()`.
  [[nodiscard]] double length_before(std::size_t i) const { return length_begin_[i]; }

  /// The item that a chunk belongs to.
  [[nodiscard]] std::size_t item_of_chunk(std::size_t chunk) const { return item_of_chunk_[chunk]; }

  /// Where a walk along the postings of one term stands; for ranges that ascend. A range that goes back is looked up again.
  struct Cursor {
    Term term = 0;
    const PostingList* merged = nullptr;
    PostingList::Reader at{};
  };
  [[nodiscard]] Cursor find(Term term) const;

  /// Calls `visit(chunk, frequency)` for the chunks of items [first, last) that have the term, ascending.
  template <class Visit>
  void for_each_posting(Cursor& cursor, std::size_t first, std::size_t last, Visit visit) const;
  template <class Visit>
  void for_each_posting(Term term, std::size_t first, std::size_t last, Visit visit) const {
    Cursor cursor = find(term);
    for_each_posting(cursor, first, last, visit);
  }

  /// Number of chunks of items [first, last) that have the term.
  [[nodiscard]] std::size_t document_frequency(Term term, std::size_t first, std::size_t last) const;

 private:
  void merge_tail();

  std::vector<std::shared_ptr<const ItemAnalysis>> items_;
  std::size_t forgotten_ = 0;  ///< Items at the beginning whose analyses are not kept.
  std::vector<std::size_t> chunk_begin_{0};
  std::vector<double> length_begin_{0};
  std::vector<std::uint32_t> item_of_chunk_;
  std::vector<float> chunk_length_;
  std::vector<std::uint32_t> titled_;
  std::vector<Speaker> speakers_;
  std::vector<Language> languages_;
  std::vector<CallSubject> calls_;
  std::vector<std::uint32_t> answering_;                          ///< Items that answer a call, ascending.
  std::unordered_map<Term, std::vector<std::uint32_t>> about_;    ///< Items by what their call is about.
  std::unordered_map<Term, std::vector<std::uint32_t>> answers_;  ///< Items by the call that they answer.
  std::unordered_map<Term, PostingList> merged_;                  ///< Postings of the items before `merged_items_`.
  std::size_t merged_items_ = 0;
  std::size_t bytes_ = 0;
  TermAnalyzer analyzer_;
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

  bool follows = false;   ///< Its turns and results came after the question.
  bool numbered = false;  ///< Headers are numbers: a turn that follows on a chosen one needs none.

  /// How well the host's own ranking says that an item answers, in any scale, more being better (null function: it says nothing).
  std::function<std::optional<double>(std::size_t)> ranking{};

  /// What the relevance of an item is multiplied by (null function: 1).
  std::function<double(std::size_t)> prior{};

  /// Whether an item is never chosen, though it says what its neighbours are about (null function: none is).
  std::function<bool(std::size_t)> is_silent{};

  /// The analysis of item `i` where the index no longer keeps it: of the text that `text` gives, valid until the selection
  /// returns. Called for few items only (null function: the index keeps all).
  std::function<const ItemAnalysis&(std::size_t)> analysis{};
};

/// The best selection over several slices, in their order: `SelectedText::index` counts through slice 0, then slice 1
/// and so on, from each slice's `first`. `request.headers` is not used here. What was not looked at
/// of a very long slice has a relevance of 0.
///
///     TextIndex thread;                      // kept with the thread, grows by its new messages
///     TextIndex artifacts;                   // this build's
///     select({{&thread, 0, cutoff, message_text}, {&artifacts, 0, artifacts.size(), artifact_text}}, request, counter);
///
/// `request.embedder` is not used here, either: `embeddings` is, if it is not null.
[[nodiscard]] Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request,
                               const TokenCounter& counter, EmbeddingRun* embeddings = nullptr);

template <class Visit>
void TextIndex::for_each_posting(Cursor& cursor, std::size_t first, std::size_t last, Visit visit) const {
  if (cursor.merged != nullptr && first < merged_items_) {
    const std::size_t end = chunk_begin_[last < merged_items_ ? last : merged_items_];
    for (cursor.at.seek(static_cast<std::uint32_t>(chunk_begin_[first])); !cursor.at.done() && cursor.at.chunk() < end;
         cursor.at.next())
      visit(std::size_t{cursor.at.chunk()}, cursor.at.frequency());
  }
  for (std::size_t i = first > merged_items_ ? first : merged_items_; i < last; ++i) {
    const ItemAnalysis& item = *items_[i];
    const auto found = std::lower_bound(item.terms.begin(), item.terms.end(), cursor.term);
    if (found == item.terms.end() || *found != cursor.term) continue;
    const auto t = static_cast<std::size_t>(found - item.terms.begin());
    for (std::uint32_t p = item.posting_begin[t]; p < item.posting_begin[t + 1]; ++p)
      visit(chunk_begin_[i] + item.postings[p].chunk, item.postings[p].frequency);
  }
}

}  // namespace ctxmgr::engine
