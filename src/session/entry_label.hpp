#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr {

/// What a value of a session is stored with. Frozen (v1): four bytes, then the value.
struct EntryLabel {
  Trust trust = Trust::untrusted;
  bool read_only = false;
  std::optional<ArtifactType> left_out{};  ///< What a build left out, if it is that.
};

inline constexpr std::size_t entry_label_bytes = 4;

[[nodiscard]] std::string encode_entry(const EntryLabel& label, std::string_view value);

/// The label, and the value in `stored` after it; nullopt if it was not made by encode_entry().
[[nodiscard]] std::optional<EntryLabel> decode_label(std::string_view stored);

}  // namespace ctxmgr
