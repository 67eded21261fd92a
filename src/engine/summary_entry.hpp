#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/summary_cache.hpp"

/// \file
/// How summaries are named and written in a store. Frozen (v1): a change needs another namespace.
namespace ctxmgr {

/// Where the summaries of a scope are. A hash, so that scopes of any length and bytes have one each.
[[nodiscard]] std::string summary_namespace(std::string_view scope);

[[nodiscard]] std::string summary_store_key(const SummaryKey& key);
[[nodiscard]] std::string focuses_store_key(std::string_view content_hash);

/// The summary with its whole key and a checksum over both.
[[nodiscard]] std::string encode_summary(const SummaryKey& key, std::string_view summary);

/// nullopt if the entry is not whole, or is not this key's.
[[nodiscard]] std::optional<std::string> decode_summary(const SummaryKey& key, std::string_view entry);

[[nodiscard]] std::string encode_focuses(std::string_view scope, std::string_view content_hash,
                                         const std::vector<std::string>& focuses);
[[nodiscard]] std::vector<std::string> decode_focuses(std::string_view scope, std::string_view content_hash,
                                                      std::string_view entry);

}  // namespace ctxmgr
