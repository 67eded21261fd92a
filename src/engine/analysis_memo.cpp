#include "engine/analysis_memo.hpp"

#include <cstring>
#include <random>
#include <utility>

namespace ctxmgr::engine {
namespace {

Fingerprint random_seed() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
  return {word(), word()};
}

// Everything that an analysis depends on; the sizes say where the title and the call end, so empty ones need no pass.
Fingerprint key_of(const ItemText& item, Fingerprint seed) {
  const std::uint64_t kind = std::uint64_t{static_cast<std::uint8_t>(item.format)} << 16 |
                             std::uint64_t{static_cast<std::uint8_t>(item.speaker)} << 8 |
                             static_cast<std::uint8_t>(item.trust);
  const std::uint64_t head[] = {kind, item.label_bytes, item.title.size(), item.call.size()};
  char bytes[sizeof head];
  std::memcpy(bytes, head, sizeof head);
  Fingerprint key = fingerprint({bytes, sizeof bytes}, seed);
  if (!item.title.empty()) key = fingerprint(item.title, key);
  if (!item.call.empty()) key = fingerprint(item.call, key);
  return fingerprint(item.text, key);
}

}  // namespace

AnalysisMemo::AnalysisMemo(std::size_t max_bytes) : max_bytes_(max_bytes), seed_(random_seed()) {}

std::shared_ptr<const ItemAnalysis> AnalysisMemo::get(const ItemText& item, TermAnalyzer& analyzer) {
  if (max_bytes_ == 0) return std::make_shared<const ItemAnalysis>(analyze_item(item, analyzer));
  const Fingerprint key = key_of(item, seed_);
  if (auto known = find(key)) return known;
  auto analysis = std::make_shared<const ItemAnalysis>(analyze_item(item, analyzer));
  insert(key, analysis);
  return analysis;
}

std::size_t AnalysisMemo::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::shared_ptr<const ItemAnalysis> AnalysisMemo::find(const Fingerprint& key) {
  const std::lock_guard lock(mutex_);
  const auto found = position_.find(key);
  if (found == position_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->analysis;
}

void AnalysisMemo::insert(const Fingerprint& key, std::shared_ptr<const ItemAnalysis> analysis) {
  const std::lock_guard lock(mutex_);
  if (position_.count(key) != 0) return;
  bytes_ += analysis->bytes();
  entries_.push_front({key, std::move(analysis)});
  position_.emplace(key, entries_.begin());
  while (bytes_ > max_bytes_ && !entries_.empty()) {
    bytes_ -= entries_.back().analysis->bytes();
    position_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace ctxmgr::engine
