#include "engine/structure/call_line.hpp"

#include "core/json/json.hpp"
#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

void append_values(const Json& value, std::string& out, std::string_view separator) {
  if (value.is_container()) {
    for (const Json& child : value) append_values(child, out, separator);
    return;
  }
  if (value.is_null() || value.is_boolean()) return;
  if (!out.empty()) out += separator;
  out += value.is_string() ? value.string() : dump_json(value);
}

}  // namespace

std::string argument_values(const std::string& arguments_json, std::string_view separator) {
  const auto parsed = parse_json(arguments_json);
  if (!parsed) return arguments_json;
  std::string values;
  append_values(*parsed, values, separator);
  return values;
}

std::string single_line(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    if (line.size() > most) break;
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.size() > most) {
    line.resize(utf8::floor_boundary(line, most));
    line += "…";
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string call_line(std::string_view tool, const std::string& arguments_json, std::size_t most) {
  std::string line(tool);
  const auto values = single_line(argument_values(arguments_json, ", "), most);
  return values.empty() ? line : line.append("(").append(values).append(")");
}

}  // namespace ctxmgr::engine
