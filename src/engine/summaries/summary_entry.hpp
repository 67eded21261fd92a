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

/// The summary with its whole key and a checksum over both: with a secret, one that nobody else can make.
[[nodiscard]] std::string encode_summary(const SummaryKey& key, std::string_view summary, std::string_view secret = {});

/// nullopt if the entry is not whole, is not this key's, or was not made with this secret.
[[nodiscard]] std::optional<std::string> decode_summary(const SummaryKey& key, std::string_view entry,
                                                        std::string_view secret = {});

[[nodiscard]] std::string encode_focuses(std::string_view scope, std::string_view content_hash,
                                         const std::vector<std::string>& focuses, std::string_view secret = {});
[[nodiscard]] std::vector<std::string> decode_focuses(std::string_view scope, std::string_view content_hash,
                                                      std::string_view entry, std::string_view secret = {});

}  // namespace ctxmgr
