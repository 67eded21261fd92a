#include "engine/index/analysis_memo.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace ctxmgr::engine {

// The sizes say where the title and the call end, so empty ones need no pass.
Fingerprint AnalysisMemo::key(const ItemText& item) const {
  const std::uint64_t language = item.language ? static_cast<std::uint64_t>(*item.language) + 1 : 0;
  const std::uint64_t kind = language << 24 | std::uint64_t{static_cast<std::uint8_t>(item.format)} << 16 |
                             std::uint64_t{static_cast<std::uint8_t>(item.speaker)} << 8 |
                             static_cast<std::uint8_t>(item.trust);
  const std::uint64_t time =
      item.time ? static_cast<std::uint64_t>(item.time->time_since_epoch().count()) : ~std::uint64_t{0};
  const std::uint64_t head[] = {kind, item.label_bytes, item.title.size(), item.call.size(), time};
  char bytes[sizeof head];
  std::memcpy(bytes, head, sizeof head);
  Fingerprint key = fingerprint({bytes, sizeof bytes}, analyses_.seed());
  if (!item.title.empty()) key = fingerprint(item.title, key);
  if (!item.call.empty()) key = fingerprint(item.call, key);
  return fingerprint(item.text, key);
}

std::shared_ptr<const ItemAnalysis> AnalysisMemo::get(const ItemText& item, const Fingerprint& key,
                                                      TermAnalyzer& analyzer) {
  if (auto known = analyses_.find(key)) return known;
  auto analysis = std::make_shared<const ItemAnalysis>(analyze_item(item, analyzer));
  analyses_.insert(key, analysis, analysis->bytes());
  return analysis;
}

}  // namespace ctxmgr::engine
