#include "serve/bounded_json.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_levels = 64;  // As the library.

bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_levels) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

ordered_json read_json(std::string_view text) {
  if (is_too_deep(text)) return ordered_json(ordered_json::value_t::discarded);
  return ordered_json::parse(text, nullptr, false);
}

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

const ordered_json* member(const ordered_json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto field = object.find(name);
  return field != object.end() ? &*field : nullptr;
}

std::string string_at(const ordered_json& object, const char* name) {
  const auto* const field = member(object, name);
  return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

}  // namespace ctxpack::serve
