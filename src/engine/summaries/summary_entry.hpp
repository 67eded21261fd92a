#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/summary_key.hpp"

/// \file
/// How summaries are named and written in a store. Frozen (v1): a change needs another namespace.
namespace ctxmgr {

/// A focus with blanks collapsed, ASCII letters in lower case, and no blank or full stop, question or exclamation mark
/// at its end.
[[nodiscard]] std::string normalized_focus(std::string_view focus);

/// The largest of 16, 24, 32, 48, 64, 96 … that is not above the target, so that summaries are found again when a budget
/// moves a little: what a model is asked for. Below 16, the target itself; never less than 0.
[[nodiscard]] std::int64_t target_token_bucket(std::int64_t target_tokens);

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
