#include "engine/history/known_messages.hpp"

#include <algorithm>
#include <utility>

#include "engine/history/content_hash.hpp"

namespace ctxmgr::engine {

const std::vector<std::uint64_t>& KnownMessages::hashes(const std::vector<ConversationMessage>& messages) {
  for (auto i = hashes_.size(); i < messages.size(); ++i) hashes_.push_back(content_hash(messages[i]));
  return hashes_;
}

bool KnownMessages::are_well(const std::vector<ConversationMessage>& messages, const HistoryDemands& demands) {
  auto reader = std::move(reader_);  // One that an exception interrupts is not read on.
  if (!reader || reader->demands() != demands)
    reader = std::make_unique<HistoryReader>(HistoryReader::Purpose::check, demands);
  reader->read(messages);
  reader_ = std::move(reader);
  return reader_->is_well();
}

void KnownMessages::cut(std::size_t count) {
  hashes_.resize(std::min(count, hashes_.size()));
  if (reader_ && reader_->messages_read() > count) reader_.reset();
}

void KnownMessages::replace_first(const ConversationMessage& message) {
  if (!hashes_.empty()) hashes_.front() = content_hash(message);
}

std::size_t KnownMessages::bytes() const {
  return hashes_.capacity() * sizeof hashes_[0] + (reader_ ? sizeof *reader_ + reader_->bytes() : 0);
}

}  // namespace ctxmgr::engine
