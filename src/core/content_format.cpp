#include "core/content_format.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ctxmgr {

ContentFormat format_of_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, ContentFormat>, 21> by_extension{{
      {"md", ContentFormat::markdown}, {"markdown", ContentFormat::markdown},
      {"json", ContentFormat::json},   {"txt", ContentFormat::text},
      {"csv", ContentFormat::table},   {"tsv", ContentFormat::table},
      {"log", ContentFormat::log},     {"diff", ContentFormat::diff},
      {"patch", ContentFormat::diff},  {"c", ContentFormat::code},
      {"h", ContentFormat::code},      {"cc", ContentFormat::code},
      {"cpp", ContentFormat::code},    {"hpp", ContentFormat::code},
      {"py", ContentFormat::code},     {"js", ContentFormat::code},
      {"ts", ContentFormat::code},     {"go", ContentFormat::code},
      {"rs", ContentFormat::code},     {"java", ContentFormat::code},
      {"sh", ContentFormat::code},
  }};
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return ContentFormat::automatic;
  const std::string_view extension = name.substr(dot + 1);
  const auto has_extension = [extension](const auto& entry) { return entry.first == extension; };
  const auto found = std::find_if(by_extension.begin(), by_extension.end(), has_extension);
  return found == by_extension.end() ? ContentFormat::automatic : found->second;
}

}  // namespace ctxmgr
