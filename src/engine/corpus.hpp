#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/text_index.hpp"

namespace ctxmgr::engine {

/// Several slices seen as one list of items and one list of chunks, both numbered from 0. A view: the slices outlive it.
class Corpus {
 public:
  explicit Corpus(const std::vector<IndexSlice>& slices);

  [[nodiscard]] std::size_t items() const { return items_.back(); }
  [[nodiscard]] std::size_t chunks() const { return chunks_.back(); }
  [[nodiscard]] double average_length() const;  ///< Of a chunk, in terms; at least 1.

  [[nodiscard]] const ItemAnalysis& item(std::size_t i) const;
  [[nodiscard]] std::string_view text(std::size_t i) const;
  [[nodiscard]] std::string_view header(std::size_t i) const;

  /// The first chunk of item `i`; `chunks()` for `items()`.
  [[nodiscard]] std::size_t first_chunk(std::size_t i) const;
  [[nodiscard]] std::size_t item_of_chunk(std::size_t c) const;

  [[nodiscard]] double chunk_length(std::size_t c) const;  ///< In terms.
  [[nodiscard]] std::vector<std::size_t> titled() const;   ///< Items that have a title, ascending.

  /// For every item whether the next one continues its conversation: both are turns in one slice. `spoken`: and neither
  /// is a tool's result.
  [[nodiscard]] std::vector<char> continued(bool spoken) const;

  /// Whether a later item answers the same tool call with the same arguments.
  [[nodiscard]] bool superseded(std::size_t i) const;

  /// Whether an item is a turn of a conversation.
  [[nodiscard]] bool is_turn(std::size_t i) const;

  /// Calls `visit(chunk, frequency)` for every chunk that has the term, ascending.
  template <class Visit>
  void for_each_posting(Term term, Visit visit) const {
    for (std::size_t s = 0; s < slices_.size(); ++s) {
      const IndexSlice& slice = slices_[s];
      const std::size_t shift = chunks_[s] - slice.index->chunks_before(slice.first);
      slice.index->for_each_posting(term, slice.first, slice.last,
                                    [&](std::size_t chunk, float frequency) { visit(chunk + shift, frequency); });
    }
  }

  /// Number of chunks that have the term.
  [[nodiscard]] std::size_t document_frequency(Term term) const;

  /// How rare a term is: 0 where it does not occur (Robertson's idf, always positive).
  [[nodiscard]] double idf(Term term) const;

 private:
  struct Place {
    std::size_t slice;
    std::size_t item;
  };
  [[nodiscard]] Place place_of(std::size_t i) const;

  const std::vector<IndexSlice>& slices_;
  std::vector<std::size_t> items_{0};   ///< Items before each slice, and all of them.
  std::vector<std::size_t> chunks_{0};  ///< Chunks likewise.
  double length_ = 0;
};

}  // namespace ctxmgr::engine
