#include "engine/corpus.hpp"

#include <cmath>

namespace ctxmgr::engine {

Corpus::Corpus(const std::vector<IndexSlice>& slices) : slices_(slices) {
  for (const IndexSlice& slice : slices) {
    const TextIndex& index = *slice.index;
    items_.push_back(items_.back() + slice.last - slice.first);
    chunks_.push_back(chunks_.back() + index.chunks_before(slice.last) - index.chunks_before(slice.first));
    length_ += index.length_before(slice.last) - index.length_before(slice.first);
  }
}

double Corpus::average_length() const {
  return chunks() == 0 ? 1 : std::max(1.0, length_ / static_cast<double>(chunks()));
}

Corpus::Place Corpus::place_of(std::size_t i) const {
  std::size_t slice = 0;
  while (i >= items_[slice + 1]) ++slice;
  return {slice, i - items_[slice] + slices_[slice].first};
}

const ItemAnalysis& Corpus::item(std::size_t i) const {
  const Place place = place_of(i);
  return slices_[place.slice].index->item(place.item);
}

bool Corpus::is_turn(std::size_t i) const {
  const Place place = place_of(i);
  return slices_[place.slice].index->speaker(place.item) != Speaker::document;
}

std::string_view Corpus::text(std::size_t i) const {
  const Place place = place_of(i);
  return slices_[place.slice].text(place.item);
}

std::string_view Corpus::header(std::size_t i) const {
  const Place place = place_of(i);
  const IndexSlice& slice = slices_[place.slice];
  return slice.header ? slice.header(place.item) : std::string_view();
}

std::size_t Corpus::first_chunk(std::size_t i) const {
  if (i == items()) return chunks();
  const Place place = place_of(i);
  const IndexSlice& slice = slices_[place.slice];
  return chunks_[place.slice] + slice.index->chunks_before(place.item) - slice.index->chunks_before(slice.first);
}

std::size_t Corpus::item_of_chunk(std::size_t c) const {
  std::size_t s = 0;
  while (c >= chunks_[s + 1]) ++s;
  const IndexSlice& slice = slices_[s];
  return items_[s] + slice.index->item_of_chunk(c - chunks_[s] + slice.index->chunks_before(slice.first)) - slice.first;
}

double Corpus::chunk_length(std::size_t c) const {
  std::size_t s = 0;
  while (c >= chunks_[s + 1]) ++s;
  const IndexSlice& slice = slices_[s];
  return slice.index->chunk_length(c - chunks_[s] + slice.index->chunks_before(slice.first));
}

std::vector<std::size_t> Corpus::titled() const {
  std::vector<std::size_t> items;
  for (std::size_t s = 0; s < slices_.size(); ++s)
    for (const std::size_t item : slices_[s].index->titled())
      if (item >= slices_[s].first && item < slices_[s].last) items.push_back(items_[s] + item - slices_[s].first);
  return items;
}

std::vector<char> Corpus::continued(bool spoken) const {
  std::vector<char> result(items(), 0);
  for (std::size_t s = 0; s < slices_.size(); ++s) {
    const IndexSlice& slice = slices_[s];
    const auto fits = [&slice, spoken](std::size_t item) {
      const Speaker speaker = slice.index->speaker(item);
      return speaker != Speaker::document && (!spoken || speaker != Speaker::tool);
    };
    for (std::size_t item = slice.first; item + 1 < slice.last; ++item)
      result[items_[s] + item - slice.first] = fits(item) && fits(item + 1) ? 1 : 0;
  }
  return result;
}

bool Corpus::superseded(std::size_t i) const {
  const Place place = place_of(i);
  const Term call = slices_[place.slice].index->item(place.item).call;
  if (call == 0) return false;
  for (std::size_t s = place.slice; s < slices_.size(); ++s) {
    const IndexSlice& slice = slices_[s];
    const std::size_t newest = slice.index->newest_answer(call, slice.last);
    if (newest < slice.index->size() && newest >= slice.first && (s > place.slice || newest > place.item)) return true;
  }
  return false;
}

std::size_t Corpus::document_frequency(Term term) const {
  std::size_t frequency = 0;
  for (const IndexSlice& slice : slices_) frequency += slice.index->document_frequency(term, slice.first, slice.last);
  return frequency;
}

double Corpus::idf(Term term) const {
  const auto found = static_cast<double>(document_frequency(term));
  if (found == 0) return 0;
  return std::log(1 + (static_cast<double>(chunks()) - found + 0.5) / (found + 0.5));
}

}  // namespace ctxmgr::engine
