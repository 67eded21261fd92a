#include "engine/index/analysis_memo.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace ctxmgr::engine {
namespace {

Fingerprint random_seed() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32 | device(); };
  return {word(), word()};
}

}  // namespace

AnalysisMemo::AnalysisMemo(std::size_t max_bytes) : max_bytes_(max_bytes), seed_(random_seed()) {}

// The sizes say where the title and the call end, so empty ones need no pass.
Fingerprint AnalysisMemo::key(const ItemText& item) const {
  const std::uint64_t language = item.language ? static_cast<std::uint64_t>(*item.language) + 1 : 0;
  const std::uint64_t kind = language << 24 | std::uint64_t{static_cast<std::uint8_t>(item.format)} << 16 |
                             std::uint64_t{static_cast<std::uint8_t>(item.speaker)} << 8 |
                             static_cast<std::uint8_t>(item.trust);
  const std::uint64_t head[] = {kind, item.label_bytes, item.title.size(), item.call.size()};
  char bytes[sizeof head];
  std::memcpy(bytes, head, sizeof head);
  Fingerprint key = fingerprint({bytes, sizeof bytes}, seed_);
  if (!item.title.empty()) key = fingerprint(item.title, key);
  if (!item.call.empty()) key = fingerprint(item.call, key);
  return fingerprint(item.text, key);
}

std::shared_ptr<const ItemAnalysis> AnalysisMemo::get(const ItemText& item, const Fingerprint& key,
                                                      TermAnalyzer& analyzer) {
  if (max_bytes_ == 0) return std::make_shared<const ItemAnalysis>(analyze_item(item, analyzer));
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
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  found->second.used = ++uses_;
  return found->second.analysis;
}

void AnalysisMemo::insert(const Fingerprint& key, std::shared_ptr<const ItemAnalysis> analysis) {
  const std::size_t size = analysis->bytes();
  const std::lock_guard lock(mutex_);
  if (size > max_bytes_ || !entries_.emplace(key, Entry{std::move(analysis), ++uses_}).second) return;
  bytes_ += size;
  if (bytes_ > max_bytes_) make_room();
}

void AnalysisMemo::make_room() {
  std::vector<std::pair<std::uint64_t, Fingerprint>> oldest_first;
  oldest_first.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) oldest_first.emplace_back(entry.used, key);
  std::sort(oldest_first.begin(), oldest_first.end());
  for (const auto& [used, key] : oldest_first) {
    if (bytes_ <= max_bytes_ - max_bytes_ / 4) break;
    const auto entry = entries_.find(key);
    bytes_ -= entry->second.analysis->bytes();
    entries_.erase(entry);
  }
}

}  // namespace ctxmgr::engine
