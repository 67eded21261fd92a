#include "session/json_pointer.hpp"

#include <charconv>

namespace ctxmgr {
namespace {

/// The name behind "~0" and "~1"; nullopt for any other "~".
std::optional<std::string> unescaped(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      name.push_back(token[i]);
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    name.push_back(token[i] == '0' ? '~' : '/');
  }
  return name;
}

const Json* child(const Json& value, const std::string& name) {
  if (value.is_object()) return value.find(name);
  if (!value.is_array() || name.empty() || (name.size() > 1 && name.front() == '0')) return nullptr;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool is_number = error == std::errc{} && end == name.data() + name.size();
  return is_number && index < value.size() ? &value[index] : nullptr;
}

}  // namespace

const Json* at_pointer(const Json& value, std::string_view pointer) {
  const Json* at = &value;
  while (!pointer.empty() && at) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const auto end = pointer.find('/');
    const auto name = unescaped(pointer.substr(0, end));
    at = name ? child(*at, *name) : nullptr;
    pointer = end == pointer.npos ? std::string_view() : pointer.substr(end);
  }
  return at;
}

}  // namespace ctxmgr
