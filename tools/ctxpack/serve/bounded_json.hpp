#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// The one way in which the proxy reads JSON of clients and services: what is nested deeper than the library takes, or is none,
/// is discarded (`is_discarded()`), so that nothing after it need fear for its stack.
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text);

/// Text that is not UTF-8 is repaired.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& value);

/// A field of an object; null where it is none or has none of that name.
[[nodiscard]] const nlohmann::ordered_json* member(const nlohmann::ordered_json& object, const char* name);

/// Of a field that is a string; empty where it is none.
[[nodiscard]] std::string string_at(const nlohmann::ordered_json& object, const char* name);

}  // namespace ctxpack::serve
