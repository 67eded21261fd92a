#include "session/tool_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/worded.hpp"

namespace ctxmgr::session {
namespace {

/// Models put numbers into quotes, too.
std::optional<std::int64_t> whole_number(const Json& json) {
  if (!json.is_string()) return to_int64(json);
  const auto& text = json.string();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What has to be sent under this name; empty where that is what `value` is.
std::string wanted(const Json& value, const Json& property) {
  const auto* type = get_string(property, "type");
  if (type == nullptr) return {};
  if (*type == "integer") {
    const auto least = get_int(property, "minimum").value_or(0);
    const auto number = whole_number(value);
    return number && *number >= least ? std::string() : "a whole number, at least " + std::to_string(least);
  }
  if (*type == "array") return value.is_array() ? "" : "a list";
  if (!value.is_string()) return "text";
  const auto* names = find_field(property, "enum");
  if (names == nullptr || std::find(names->begin(), names->end(), value) != names->end()) return {};
  return "one of " + dump_json(*names);
}

/// Whether null is not as good a value as any other.
bool has_type(const Json& schema, const std::string& name) {
  const auto* properties = find_field(schema, "properties");
  const auto* property = properties ? find_field(*properties, name) : nullptr;
  return property != nullptr && find_field(*property, "type") != nullptr;
}

/// A sentence about the first thing that is wrong; empty where nothing is.
std::string problem_of(const Json& arguments, const Json& schema) {
  if (const auto* required = find_field(schema, "required")) {
    for (const auto& name : *required) {
      const auto& key = name.string();
      if (!arguments.contains(key) || (has_type(schema, key) && find_field(arguments, key) == nullptr))
        return worded("`{}` is missing. Send {}.", key, dump_json(*required));
    }
  }
  const auto* properties = find_field(schema, "properties");
  if (properties == nullptr) return {};
  for (const auto& [name, property] : properties->members()) {
    const auto* value = find_field(arguments, name);
    if (value == nullptr) continue;
    if (const auto instead = wanted(*value, property); !instead.empty()) {
      return worded("`{}` has to be {}. Correct it and call again.", name, instead);
    }
  }
  return {};
}

}  // namespace

tl::expected<ToolArguments, std::string> ToolArguments::parse(std::string_view arguments, std::string_view schema) {
  auto json = parse_json(arguments.empty() ? "{}" : arguments);
  if (!json) {
    return tl::unexpected("the arguments are no valid JSON (" + json.error().message + "). Send one JSON object.");
  }
  if (!json->is_object()) {
    return tl::unexpected(std::string("the arguments have to be a JSON object, such as {\"key\": \"notes\"}."));
  }
  const auto expected = parse_json(schema);
  if (auto problem = expected ? problem_of(*json, *expected) : std::string(); !problem.empty()) {
    return tl::unexpected(std::move(problem));
  }
  return ToolArguments(*std::move(json));
}

std::string ToolArguments::text(std::string_view name) const {
  const auto* found = get_string(json_, name);
  return found ? *found : std::string();
}

std::optional<std::size_t> ToolArguments::number(std::string_view name) const {
  const auto* found = find(name);
  const auto number = found ? whole_number(*found) : std::nullopt;
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(std::max<std::int64_t>(*number, 0));
}

}  // namespace ctxmgr::session
