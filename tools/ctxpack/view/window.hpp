#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "ctxmgr/core/metadata.hpp"

namespace ctxpack::view {

/// What fills a window, in the order in which it is shown.
enum class Kind { fixed, notes, history, evidence, free };

inline constexpr std::array kinds = {Kind::fixed, Kind::notes, Kind::history, Kind::evidence, Kind::free};

[[nodiscard]] std::string_view to_string(Kind kind);
[[nodiscard]] std::string_view meaning(Kind kind);

/// Tokens by kind; they add up to what may be sent, or to what is, where that is more.
struct Window {
  std::array<std::int64_t, kinds.size()> tokens{};

  [[nodiscard]] std::int64_t of(Kind kind) const { return tokens[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::int64_t total() const;
  [[nodiscard]] std::int64_t used() const { return total() - of(Kind::free); }
};

[[nodiscard]] Window window_of(const ctxmgr::ContextUtilizationMetadata& receipt);

}  // namespace ctxpack::view
