#pragma once
#include <optional>
#include <string_view>
#include <utility>

namespace ctxmgr {

/// Specialised for each enum as a table of its values and names.
template <class Enum>
struct EnumNames;

template <class Enum>
[[nodiscard]] constexpr std::string_view enum_name(Enum value) {
  for (const auto& [candidate, name] : EnumNames<Enum>::values) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> parse_enum(std::string_view name) {
  for (const auto& [value, candidate] : EnumNames<Enum>::values) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

template <class Enum>
using EnumName = std::pair<Enum, std::string_view>;

}  // namespace ctxmgr
