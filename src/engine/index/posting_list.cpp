#include "engine/index/posting_list.hpp"

#include <algorithm>
#include <limits>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t run_length = 64;          // postings
constexpr std::size_t most_posting_bytes = 10;  // two numbers of 32 bits, seven bits a byte

}  // namespace

std::size_t PostingList::bytes() const {
  const bool is_inside = data_.capacity() <= std::string().capacity();
  return sizeof *this + (is_inside ? 0 : data_.capacity()) + runs_.capacity() * sizeof(Run);
}

void PostingList::append(std::uint32_t chunk, float frequency) {
  // An eighth more than it needs, not twice: many lists are kept for long.
  if (data_.size() + most_posting_bytes > data_.capacity() && data_.size() > data_.capacity() / 2)
    data_.reserve(data_.size() + most_posting_bytes + data_.size() / 8);
  if (size_ > 0 && size_ % run_length == 0) {
    runs_.push_back({chunk, static_cast<std::uint32_t>(data_.size())});
    last_ = chunk;
  }
  append_number(chunk - last_);
  append_number(static_cast<std::uint32_t>(frequency));
  last_ = chunk;
  ++size_;
}

// Seven bits a byte, the lowest first; the highest bit says that more follow.
void PostingList::append_number(std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) data_ += static_cast<char>(number | 0x80);
  data_ += static_cast<char>(number);
}

std::uint32_t PostingList::Reader::read_number() {
  std::uint32_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(list_->data_[at_++]);
    number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
}

void PostingList::Reader::next() {
  if (number_ < list_->size_) {
    if (number_ % run_length == 0) chunk_ = number_ == 0 ? 0 : list_->runs_[number_ / run_length - 1].chunk;
    chunk_ += read_number();
    frequency_ = read_number();
  }
  ++number_;
}

void PostingList::Reader::seek(std::uint32_t chunk) {
  const auto& runs = list_->runs_;
  const auto after = std::upper_bound(runs.begin(), runs.end(), chunk,
                                      [](std::uint32_t wanted, const Run& run) { return wanted < run.chunk; });
  const auto run = static_cast<std::size_t>(after - runs.begin());
  // Where it stands in that run already, and not behind the place, it goes on from there.
  const bool is_there = number_ > 0 && (number_ - 1) / run_length == run && chunk_ <= chunk && !done();
  if (!is_there) {
    number_ = run * run_length;
    at_ = run == 0 ? 0 : runs[run - 1].at;
    next();
  }
  while (!done() && chunk_ < chunk) next();
}

std::size_t PostingList::count(std::size_t first, std::size_t last) const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  Reader reader(*this);
  reader.seek(static_cast<std::uint32_t>(std::min(first, most)));
  const std::size_t before = std::min<std::size_t>(reader.number(), size_);
  reader.seek(static_cast<std::uint32_t>(std::min(last, most)));
  return std::min<std::size_t>(reader.number(), size_) - before;
}

}  // namespace ctxmgr::engine
