#include "view/called.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace ctxpack::view {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ':';
  });
}

void append_values(const nlohmann::json& value, std::string& out) {
  if (value.is_string()) {
    out += " " + value.get<std::string>();
  } else if (value.is_structured()) {
    for (const auto& part : value) append_values(part, out);
  } else if (value.is_number()) {
    out += " " + value.dump();
  }
}

}  // namespace

std::string called(std::string_view source) {
  constexpr std::size_t most_bytes = 400;  // A receipt may come from a file.
  const auto open = source.find('(');
  const auto name = source.substr(0, open);
  if (open == std::string_view::npos || source.size() > most_bytes || !is_name(name)) return std::string(source);
  const auto close = source.rfind(')');
  if (close == std::string_view::npos || close < open) return std::string(source);
  const auto arguments = nlohmann::json::parse(source.substr(open + 1, close - open - 1), nullptr, false);
  if (!arguments.is_object()) return std::string(source);
  std::string text(name);
  append_values(arguments, text);
  return text.append(source.substr(close + 1));
}

}  // namespace ctxpack::view
