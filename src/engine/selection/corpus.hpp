#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/index/text_index.hpp"

namespace ctxmgr::engine {

/// Several slices seen as one list of items and one list of chunks, both numbered from 0. A view: the slices outlive it.
///
/// A narrowed corpus shows some stretches of the slices only, numbered from 0 too; how rare a term is and how long a
/// chunk is on average are still those of all slices.
class Corpus {
 public:
  /// Items [first, last) of a slice, numbered as in its index.
  struct Stretch {
    std::size_t slice = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  explicit Corpus(const std::vector<IndexSlice>& slices);

  /// Only these stretches: ascending, apart from each other.
  [[nodiscard]] Corpus narrowed(std::vector<Stretch> stretches) const;

  [[nodiscard]] const std::vector<IndexSlice>& slices() const { return slices_; }

  [[nodiscard]] std::size_t items() const { return items_.back(); }
  [[nodiscard]] std::size_t all_items() const { return whole_.items; }  ///< Before it was narrowed.
  [[nodiscard]] std::size_t number_in_all(
      std::size_t i) const;  ///< The number of item `i` before the corpus was narrowed.
  [[nodiscard]] std::size_t chunks() const { return chunks_.back(); }
  [[nodiscard]] double average_length() const;  ///< The average length of a chunk in terms; at least 1.

  [[nodiscard]] const ItemAnalysis& item(std::size_t i) const;
  [[nodiscard]] std::string_view text(std::size_t i) const;
  [[nodiscard]] std::string_view header(std::size_t i) const;

  /// Whether an item is never chosen: a turn without a word that says anything, or what its slice leaves out.
  [[nodiscard]] bool is_silent(std::size_t i) const;

  /// Whether an item has no header where the one before it in its slice is chosen, too.
  [[nodiscard]] bool joins_before(std::size_t i) const;

  /// The first chunk of item `i`; `chunks()` for `items()`.
  [[nodiscard]] std::size_t first_chunk(std::size_t i) const;
  [[nodiscard]] std::size_t item_of_chunk(std::size_t c) const;

  [[nodiscard]] double chunk_length(std::size_t c) const;  ///< The length of a chunk in terms.
  [[nodiscard]] std::vector<std::size_t> titled() const;   ///< Items that have a title, ascending.

  /// For every item whether the next one continues its conversation: both are turns in one stretch. `spoken`: and
  /// neither is a tool's result.
  [[nodiscard]] std::vector<char> continued(bool spoken) const;

  /// Whether a later item of the slices answers the same tool call with the same arguments; or one about the same (paths,
  /// queries) that takes in as much: no numbers in its arguments, or the same. Where another tool answered it, half of the
  /// item's words have to be in it.
  [[nodiscard]] bool superseded(std::size_t i) const;

  /// What the relevance of an item is multiplied by.
  [[nodiscard]] std::optional<double> ranking(std::size_t i) const;
  [[nodiscard]] double prior(std::size_t i) const;
  [[nodiscard]] bool has_priors() const;

  /// Whether an item is a turn of a conversation.
  [[nodiscard]] bool is_turn(std::size_t i) const;

  /// Whether people talk in it, and nobody works: it has turns, and in their conversation nothing answers a call.
  [[nodiscard]] bool is_chat() const;

  /// Whether it is a turn or a result that came after the question.
  [[nodiscard]] bool follows(std::size_t i) const;
  [[nodiscard]] bool any_follows() const;

  /// The language that most of the newest items of all slices are in.
  [[nodiscard]] Language language() const;

  /// Calls `visit(chunk, frequency)` for every chunk that has the term, ascending.
  template <class Visit>
  void for_each_posting(Term term, Visit visit) const {
    const TextIndex* index = nullptr;
    TextIndex::Cursor cursor;
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
      const Stretch& stretch = stretches_[s];
      if (slices_[stretch.slice].index != index) {
        index = slices_[stretch.slice].index;
        cursor = index->find(term);
      }
      const std::size_t before = index->chunks_before(stretch.first);
      index->for_each_posting(cursor, stretch.first, stretch.last, [&](std::size_t chunk, float frequency) {
        visit(chunk - before + chunks_[s], frequency);
      });
    }
  }

  /// Number of chunks of all slices that have the term.
  [[nodiscard]] std::size_t document_frequency(Term term) const;

  /// How rare a term is: 0 where it does not occur (Robertson's idf, always positive).
  [[nodiscard]] double idf(Term term) const;
  [[nodiscard]] double most_idf() const;  ///< The idf of a term that occurs once at most.

 private:
  struct Place {
    std::size_t slice;
    std::size_t item;
  };
  struct Whole {
    std::size_t items = 0;
    std::size_t chunks = 0;
    double length = 0;
  };

  void show(std::vector<Stretch> stretches);
  [[nodiscard]] Place place_of(std::size_t i) const;

  const std::vector<IndexSlice>& slices_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> items_{0};   ///< Items before each stretch, and all of them.
  std::vector<std::size_t> chunks_{0};  ///< Chunks likewise.
  Whole whole_;
};

}  // namespace ctxmgr::engine
