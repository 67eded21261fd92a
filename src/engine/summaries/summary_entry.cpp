#include "engine/summaries/summary_entry.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "core/ascii.hpp"
#include "core/sha256.hpp"

namespace ctxmgr {
namespace {

bool ends_focus(char c) { return ascii::is_space(c) || c == '.' || c == '?' || c == '!'; }

constexpr std::string_view magic = "ctxmgr.summary.1 ";
constexpr std::size_t hash_digits = 64;
constexpr std::size_t length_bytes = 8;

using Fields = std::vector<std::string>;

std::string hash_of(std::initializer_list<std::string_view> fields) {
  Sha256 hash;
  for (const auto field : fields) hash.update_field(field);
  return hash.hex();
}

void append_field(std::string& to, std::string_view field) {
  const std::uint64_t size = field.size();
  for (int shift = 56; shift >= 0; shift -= 8) to.push_back(static_cast<char>((size >> shift) & 0xff));
  to.append(field);
}

/// The next field, removed from the front; nullopt if the bytes do not hold one.
std::optional<std::string_view> take_field(std::string_view& from) {
  if (from.size() < length_bytes) return std::nullopt;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) size = size << 8 | static_cast<unsigned char>(from[i]);
  from.remove_prefix(length_bytes);
  if (size > from.size()) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(size);
  const auto field = from.substr(0, bytes);
  from.remove_prefix(bytes);
  return field;
}

std::string checksum_of(std::string_view body, std::string_view secret) {
  return secret.empty() ? sha256_hex(body) : hmac_sha256_hex(secret, body);
}

/// In the same time wherever they differ: who can write to the store learns nothing of a signature by trying.
bool are_same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::string seal(const Fields& fields, std::string_view secret) {
  std::string body;
  for (const auto& field : fields) append_field(body, field);
  return std::string(magic).append(checksum_of(body, secret)).append(body);
}

/// nullopt unless the entry is exactly what seal() made.
std::optional<Fields> unseal(std::string_view entry, std::string_view secret) {
  if (!entry.starts_with(magic)) return std::nullopt;
  entry.remove_prefix(magic.size());
  if (entry.size() < hash_digits) return std::nullopt;
  const auto checksum = entry.substr(0, hash_digits);
  entry.remove_prefix(hash_digits);
  if (!are_same(checksum_of(entry, secret), checksum)) return std::nullopt;
  Fields fields;
  while (!entry.empty()) {
    const auto field = take_field(entry);
    if (!field) return std::nullopt;
    fields.emplace_back(*field);
  }
  return fields;
}

// Names of its own: what is hashed must not change with what is printed.
std::string_view name_in_key(ProcessingStrategy strategy) {
  switch (strategy) {
    case ProcessingStrategy::include_full: return "include_full";
    case ProcessingStrategy::summarize: return "summarize";
    case ProcessingStrategy::rag_extract: return "rag_extract";
    case ProcessingStrategy::exclude: return "exclude";
  }
  return "unknown";
}

std::string_view name_in_key(Trust trust) { return trust == Trust::trusted ? "trusted" : "untrusted"; }

Fields fields_of(const SummaryKey& key) {
  return {"summary",
          key.scope,
          key.artifact_id,
          key.content_hash,
          std::string(name_in_key(key.strategy)),
          normalized_focus(key.focus),
          key.model,
          std::to_string(target_token_bucket(key.target_tokens)),
          key.prompt_version,
          std::string(name_in_key(key.trust))};
}

}  // namespace

std::string normalized_focus(std::string_view focus) {
  while (!focus.empty() && ends_focus(focus.back())) focus.remove_suffix(1);
  std::string normalized;
  for (const char c : focus) {
    if (ascii::is_space(c)) {
      if (!normalized.empty() && normalized.back() != ' ') normalized.push_back(' ');
    } else {
      normalized.push_back(ascii::lower_case(c));
    }
  }
  return normalized;
}

std::int64_t target_token_bucket(std::int64_t target_tokens) {
  if (target_tokens < 16) return std::max<std::int64_t>(target_tokens, 0);
  std::int64_t bucket = 16;
  while (bucket <= target_tokens / 2) bucket *= 2;
  return target_tokens - bucket >= bucket / 2 ? bucket + bucket / 2 : bucket;
}

std::string summary_namespace(std::string_view scope) { return "ctxmgr.summary.1." + hash_of({scope}); }

std::string summary_store_key(const SummaryKey& key) {
  Sha256 hash;
  for (const auto& field : fields_of(key)) hash.update_field(field);
  return "summary." + hash.hex();
}

std::string focuses_store_key(std::string_view content_hash) { return "focuses." + hash_of({content_hash}); }

std::string encode_summary(const SummaryKey& key, std::string_view summary, std::string_view secret) {
  auto fields = fields_of(key);
  fields.emplace_back(summary);
  return seal(fields, secret);
}

std::optional<std::string> decode_summary(const SummaryKey& key, std::string_view entry, std::string_view secret) {
  auto fields = unseal(entry, secret);
  const auto expected = fields_of(key);
  if (!fields || fields->size() != expected.size() + 1) return std::nullopt;
  if (!std::equal(expected.begin(), expected.end(), fields->begin())) return std::nullopt;
  return std::move(fields->back());
}

std::string encode_focuses(std::string_view scope, std::string_view content_hash,
                           const std::vector<std::string>& focuses, std::string_view secret) {
  Fields fields{"focuses", std::string(scope), std::string(content_hash)};
  fields.insert(fields.end(), focuses.begin(), focuses.end());
  return seal(fields, secret);
}

std::vector<std::string> decode_focuses(std::string_view scope, std::string_view content_hash, std::string_view entry,
                                        std::string_view secret) {
  const auto fields = unseal(entry, secret);
  if (!fields || fields->size() < 3) return {};
  if ((*fields)[0] != "focuses" || (*fields)[1] != scope || (*fields)[2] != content_hash) return {};
  return {fields->begin() + 3, fields->end()};
}

}  // namespace ctxmgr
