#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ctxmgr/core/json_text.hpp"

/// \file
/// Opt-in: the JSON doors for hosts that hold nlohmann::json or ordered_json. Everything here is a template, compiled
/// with the host's own copy, of whatever version (3.10 or newer) and settings, and reaches the library as text. Any other
/// door that takes text takes `json_text(value)`.
namespace ctxmgr {

template <class Json, class Type>
using IfNlohmann =
    std::enable_if_t<std::is_same_v<Json, nlohmann::json> || std::is_same_v<Json, nlohmann::ordered_json>, Type>;

/// The host's JSON as text; invalid UTF-8 in it becomes U+FFFD.
template <class Json>
[[nodiscard]] IfNlohmann<Json, std::string> json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A value as JSON: `nlohmann::json receipt = as_json(built->metadata);`
template <class Json = nlohmann::json, class Value>
[[nodiscard]] Json as_json(const Value& value) {
  return Json::parse(to_json(value));
}

/// Messages or tools as a chat request has them: `body["messages"] = as_openai(built->messages);`
template <class Json = nlohmann::json, class Value>
[[nodiscard]] Json as_openai(const std::vector<Value>& values) {
  return Json::parse(to_openai_json(values));
}

/// `from_json<std::vector<ConversationMessage>>(body["messages"])`; errors as of the text form.
template <class Value, class Json>
[[nodiscard]] IfNlohmann<Json, Result<Value>> from_json(const Json& json) {
  return from_json<Value>(std::string_view(json_text(json)));
}

}  // namespace ctxmgr
