#include "engine/selection/corpus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ctxmgr::engine {
namespace {

// The last stretch that begins at or before `number`; empty ones never hold it.
std::size_t stretch_of(const std::vector<std::size_t>& begins, std::size_t number) {
  return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), number) - begins.begin()) - 1;
}

const ItemAnalysis& analysis_of(const IndexSlice& slice, std::size_t item) {
  const ItemAnalysis* kept = slice.index->item(item);
  return kept != nullptr ? *kept : slice.analysis(item);
}

constexpr std::ptrdiff_t most_rereads = 8;  // The newest of what was read again are looked at.

bool reads_again(const ItemAnalysis& later, const ItemAnalysis& earlier) {
  if (later.subject.part != 0 && later.subject.part != earlier.subject.part) return false;
  if (later.subject.tool == earlier.subject.tool) return true;
  std::size_t shared = 0;
  auto at = later.terms.begin();
  for (const Term term : earlier.terms) {
    at = std::lower_bound(at, later.terms.end(), term);
    shared += at != later.terms.end() && *at == term ? 1 : 0;
  }
  return 2 * shared >= earlier.terms.size();
}

}  // namespace

Corpus::Corpus(const std::vector<IndexSlice>& slices) : slices_(slices) {
  std::vector<Stretch> stretches;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const TextIndex& index = *slices[s].index;
    stretches.push_back({s, slices[s].first, slices[s].last});
    whole_.length += index.length_before(slices[s].last) - index.length_before(slices[s].first);
  }
  show(std::move(stretches));
  whole_.items = items();
  whole_.chunks = chunks();
}

Corpus Corpus::narrowed(std::vector<Stretch> stretches) const {
  Corpus result = *this;
  result.show(std::move(stretches));
  return result;
}

void Corpus::show(std::vector<Stretch> stretches) {
  stretches_ = std::move(stretches);
  items_.assign(1, 0);
  chunks_.assign(1, 0);
  for (const Stretch& stretch : stretches_) {
    const TextIndex& index = *slices_[stretch.slice].index;
    items_.push_back(items_.back() + stretch.last - stretch.first);
    chunks_.push_back(chunks_.back() + index.chunks_before(stretch.last) - index.chunks_before(stretch.first));
  }
}

double Corpus::average_length() const {
  return whole_.chunks == 0 ? 1 : std::max(1.0, whole_.length / static_cast<double>(whole_.chunks));
}

Corpus::Place Corpus::place_of(std::size_t i) const {
  const std::size_t s = stretch_of(items_, i);
  return {stretches_[s].slice, i - items_[s] + stretches_[s].first};
}

std::size_t Corpus::number_in_all(std::size_t i) const {
  const Place place = place_of(i);
  std::size_t before = 0;
  for (std::size_t s = 0; s < place.slice; ++s) before += slices_[s].last - slices_[s].first;
  return before + place.item - slices_[place.slice].first;
}

const ItemAnalysis& Corpus::item(std::size_t i) const {
  const Place place = place_of(i);
  return analysis_of(slices_[place.slice], place.item);
}

bool Corpus::is_turn(std::size_t i) const {
  const Place place = place_of(i);
  return slices_[place.slice].index->speaker(place.item) != Speaker::document;
}

bool Corpus::is_chat() const {
  const auto works = [](const IndexSlice& slice) { return slice.index->answers_calls(slice.first, slice.last); };
  if (std::any_of(slices_.begin(), slices_.end(), works)) return false;
  for (std::size_t i = 0; i < items(); ++i)
    if (is_turn(i)) return true;
  return false;
}

std::optional<double> Corpus::ranking(std::size_t i) const {
  const Place place = place_of(i);
  const IndexSlice& slice = slices_[place.slice];
  return slice.ranking ? slice.ranking(place.item) : std::nullopt;
}

double Corpus::prior(std::size_t i) const {
  const Place place = place_of(i);
  const IndexSlice& slice = slices_[place.slice];
  return slice.prior ? slice.prior(place.item) : 1;
}

bool Corpus::has_priors() const {
  return std::any_of(slices_.begin(), slices_.end(), [](const IndexSlice& slice) { return slice.prior != nullptr; });
}

bool Corpus::follows(std::size_t i) const { return slices_[place_of(i).slice].follows && is_turn(i); }

bool Corpus::any_follows() const {
  return std::any_of(slices_.begin(), slices_.end(), [](const IndexSlice& slice) { return slice.follows; });
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

bool Corpus::is_silent(std::size_t i) const {
  const Place place = place_of(i);
  const IndexSlice& slice = slices_[place.slice];
  if (slice.is_silent && slice.is_silent(place.item)) return true;
  if (!slice.numbered || slice.index->speaker(place.item) == Speaker::tool) return false;
  const ItemAnalysis& analysis = analysis_of(slice, place.item);
  if (analysis.atom_token_begin.empty()) return false;
  return std::all_of(analysis.token_flags.begin() + analysis.atom_token_begin.front(), analysis.token_flags.end(),
                     [](std::uint8_t flags) { return (flags & term_function) != 0; });
}

bool Corpus::joins_before(std::size_t i) const {
  const std::size_t s = stretch_of(items_, i);
  const IndexSlice& slice = slices_[stretches_[s].slice];
  return slice.numbered && i > items_[s] && slice.index->speaker(place_of(i).item) != Speaker::tool;
}

std::size_t Corpus::first_chunk(std::size_t i) const {
  if (i == items()) return chunks();
  const std::size_t s = stretch_of(items_, i);
  const TextIndex& index = *slices_[stretches_[s].slice].index;
  const std::size_t first = stretches_[s].first;
  return chunks_[s] + index.chunks_before(i - items_[s] + first) - index.chunks_before(first);
}

std::size_t Corpus::item_of_chunk(std::size_t c) const {
  const std::size_t s = stretch_of(chunks_, c);
  const TextIndex& index = *slices_[stretches_[s].slice].index;
  const std::size_t first = stretches_[s].first;
  return items_[s] + index.item_of_chunk(c - chunks_[s] + index.chunks_before(first)) - first;
}

double Corpus::chunk_length(std::size_t c) const {
  const std::size_t s = stretch_of(chunks_, c);
  const TextIndex& index = *slices_[stretches_[s].slice].index;
  return index.chunk_length(c - chunks_[s] + index.chunks_before(stretches_[s].first));
}

std::vector<std::size_t> Corpus::titled() const {
  std::vector<std::size_t> items;
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const Stretch& stretch = stretches_[s];
    const std::vector<std::uint32_t>& titled = slices_[stretch.slice].index->titled();
    for (auto at = std::lower_bound(titled.begin(), titled.end(), stretch.first);
         at != titled.end() && *at < stretch.last; ++at)
      items.push_back(items_[s] + *at - stretch.first);
  }
  return items;
}

std::vector<char> Corpus::continued(bool spoken) const {
  std::vector<char> result(items(), 0);
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const Stretch& stretch = stretches_[s];
    const TextIndex& index = *slices_[stretch.slice].index;
    const auto fits = [&index, spoken](std::size_t item) {
      const Speaker speaker = index.speaker(item);
      return speaker != Speaker::document && (!spoken || speaker != Speaker::tool);
    };
    for (std::size_t item = stretch.first; item + 1 < stretch.last; ++item)
      result[items_[s] + item - stretch.first] = fits(item) && fits(item + 1) ? 1 : 0;
  }
  return result;
}

bool Corpus::superseded(std::size_t i) const {
  const Place place = place_of(i);
  const ItemAnalysis& item = analysis_of(slices_[place.slice], place.item);
  const Term call = item.call;
  if (call == 0) return false;
  for (std::size_t s = place.slice; s < slices_.size(); ++s) {
    const IndexSlice& slice = slices_[s];
    const std::size_t newest = slice.index->newest_answer(call, slice.last);
    if (newest < slice.index->size() && newest >= slice.first && (s > place.slice || newest > place.item)) return true;
    const std::vector<std::uint32_t>& about = slice.index->answers_about(item.subject.subject);
    const std::size_t after = s > place.slice ? slice.first : place.item + 1;
    const auto begin = std::lower_bound(about.begin(), about.end(), after);
    const auto end = std::lower_bound(begin, about.end(), slice.last);
    const auto first = end - std::min<std::ptrdiff_t>(end - begin, most_rereads);
    if (std::any_of(first, end, [&](std::size_t later) { return reads_again(analysis_of(slice, later), item); }))
      return true;
  }
  return false;
}

Language Corpus::language() const {
  constexpr std::size_t sample = 1024;  // of each slice
  std::array<std::size_t, language_count> items{};
  for (const IndexSlice& slice : slices_)
    for (std::size_t i = slice.last - std::min(slice.last - slice.first, sample); i < slice.last; ++i)
      ++items[static_cast<std::size_t>(slice.index->language(i))];
  return static_cast<Language>(std::max_element(items.begin(), items.end()) - items.begin());
}

std::size_t Corpus::document_frequency(Term term) const {
  std::size_t frequency = 0;
  for (const IndexSlice& slice : slices_) frequency += slice.index->document_frequency(term, slice.first, slice.last);
  return frequency;
}

double Corpus::idf(Term term) const {
  const auto found = static_cast<double>(document_frequency(term));
  if (found == 0) return 0;
  return std::log(1 + (static_cast<double>(whole_.chunks) - found + 0.5) / (found + 0.5));
}

double Corpus::most_idf() const { return std::log(1 + (static_cast<double>(whole_.chunks) - 0.5) / 1.5); }

}  // namespace ctxmgr::engine
