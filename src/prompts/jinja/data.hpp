#pragma once
#include <optional>
#include <string_view>

#include "core/json/json.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

/// A dict of a JSON object's members. Refuses, with a JSON pointer, numbers that Python would hold exactly and this
/// engine would not.
[[nodiscard]] Value data_from_json(Heap& heap, const Json& object);

/// The same, straight from plain text, several times as fast. Nothing where the text is anything but a well-formed object
/// without surprises: parse_json() then says what is wrong.
[[nodiscard]] std::optional<Value> read_data(Heap& heap, std::string_view text);

}  // namespace ctxmgr::jinja
