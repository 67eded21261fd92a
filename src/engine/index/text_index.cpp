#include "engine/index/text_index.hpp"

#include <utility>

namespace ctxmgr::engine {
namespace {

// Fewer items than this are searched one by one, as for the artifacts of one build; from then on, each is merged into the
// map when it is appended, so that a term costs one look-up however long the thread has become.
constexpr std::size_t least_merged_items = 128;

constexpr std::size_t bytes_of_chunk = sizeof(std::uint32_t) + sizeof(float);
constexpr std::size_t bytes_of_term = sizeof(Term) + 4 * sizeof(void*);  // in the map, beside its postings

}  // namespace

void TextIndex::append(const ItemText& item) {
  append(std::make_shared<const ItemAnalysis>(analyze_item(item, analyzer_)));
}

void TextIndex::append(std::shared_ptr<const ItemAnalysis> item) {
  double length = length_begin_.back();
  for (const Chunk& chunk : item->chunks) {
    length += static_cast<double>(chunk.length);
    chunk_length_.push_back(chunk.length);
    item_of_chunk_.push_back(static_cast<std::uint32_t>(items_.size()));
  }
  speakers_.push_back(item->speaker);
  languages_.push_back(item->language);
  calls_.push_back(item->subject);
  if (!item->title.empty()) titled_.push_back(static_cast<std::uint32_t>(items_.size()));
  if (item->subject.subject != 0) about_[item->subject.subject].push_back(static_cast<std::uint32_t>(items_.size()));
  if (item->call != 0) {
    answers_[item->call].push_back(static_cast<std::uint32_t>(items_.size()));
    answering_.push_back(static_cast<std::uint32_t>(items_.size()));
  }
  chunk_begin_.push_back(chunk_begin_.back() + item->chunks.size());
  length_begin_.push_back(length);
  bytes_ += item->bytes() + item->chunks.size() * bytes_of_chunk;
  items_.push_back(std::move(item));
  if (items_.size() >= least_merged_items) merge_tail();
}

const std::vector<std::uint32_t>& TextIndex::answers_about(Term subject) const {
  static const std::vector<std::uint32_t> none;
  const auto found = about_.find(subject);
  return found == about_.end() ? none : found->second;
}

bool TextIndex::answers_calls(std::size_t first, std::size_t last) const {
  const auto at = std::lower_bound(answering_.begin(), answering_.end(), first);
  return at != answering_.end() && *at < last;
}

std::size_t TextIndex::newest_answer(Term call, std::size_t last) const {
  const auto found = answers_.find(call);
  if (found == answers_.end()) return size();
  const std::vector<std::uint32_t>& items = found->second;
  const auto at = std::lower_bound(items.begin(), items.end(), last);
  return at == items.begin() ? size() : *(at - 1);
}

std::size_t TextIndex::document_frequency(Term term, std::size_t first, std::size_t last) const {
  std::size_t frequency = 0;
  if (first < merged_items_) {
    if (const auto found = merged_.find(term); found != merged_.end())
      frequency += found->second.count(chunk_begin_[first], chunk_begin_[std::min(last, merged_items_)]);
  }
  if (last > merged_items_)
    for_each_posting(term, std::max(first, merged_items_), last, [&frequency](std::size_t, float) { ++frequency; });
  return frequency;
}

TextIndex::Cursor TextIndex::find(Term term) const {
  const auto found = merged_.find(term);
  if (found == merged_.end()) return {term, nullptr, {}};
  return {term, &found->second, PostingList::Reader(found->second)};
}

void TextIndex::forget_all_but_newest(std::size_t items) {
  for (; forgotten_ + items < merged_items_; ++forgotten_) {
    bytes_ -= items_[forgotten_]->bytes();
    items_[forgotten_].reset();
  }
}

void TextIndex::merge_tail() {
  for (; merged_items_ < items_.size(); ++merged_items_) {
    const ItemAnalysis& item = *items_[merged_items_];
    const auto base = static_cast<std::uint32_t>(chunk_begin_[merged_items_]);
    for (std::size_t t = 0; t < item.terms.size(); ++t) {
      if (item.posting_begin[t] == item.posting_begin[t + 1]) continue;
      const auto [at, fresh] = merged_.try_emplace(item.terms[t]);
      PostingList& postings = at->second;
      bytes_ -= fresh ? 0 : postings.bytes();
      for (std::uint32_t p = item.posting_begin[t]; p < item.posting_begin[t + 1]; ++p)
        postings.append(base + item.postings[p].chunk, item.postings[p].frequency);
      bytes_ += postings.bytes() + (fresh ? bytes_of_term : 0);
    }
  }
}

}  // namespace ctxmgr::engine
