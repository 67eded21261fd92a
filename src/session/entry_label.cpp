#include "session/entry_label.hpp"

namespace ctxmgr {
namespace {

constexpr char format_version = '1';

char letter_of(std::optional<ArtifactType> type) {
  if (!type) return '-';
  switch (*type) {
    case ArtifactType::tool_result: return 't';
    case ArtifactType::document: return 'd';
    case ArtifactType::conversation: return 'c';
  }
  return '-';
}

}  // namespace

std::string encode_entry(const EntryLabel& label, std::string_view value) {
  std::string stored;
  stored.reserve(entry_label_bytes + value.size());
  stored.push_back(format_version);
  stored.push_back(label.trust == Trust::trusted ? 't' : 'u');
  stored.push_back(label.read_only ? 'r' : 'o');
  stored.push_back(letter_of(label.left_out));
  return stored.append(value);
}

std::optional<EntryLabel> decode_label(std::string_view stored) {
  if (stored.size() < entry_label_bytes || stored[0] != format_version) return std::nullopt;
  EntryLabel label;
  if (stored[1] != 't' && stored[1] != 'u') return std::nullopt;
  label.trust = stored[1] == 't' ? Trust::trusted : Trust::untrusted;
  if (stored[2] != 'r' && stored[2] != 'o') return std::nullopt;
  label.read_only = stored[2] == 'r';
  switch (stored[3]) {
    case '-': break;
    case 't': label.left_out = ArtifactType::tool_result; break;
    case 'd': label.left_out = ArtifactType::document; break;
    case 'c': label.left_out = ArtifactType::conversation; break;
    default: return std::nullopt;
  }
  return label;
}

}  // namespace ctxmgr
