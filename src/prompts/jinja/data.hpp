#pragma once
#include "core/json/json.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

/// A dict of a JSON object's members. Refuses, with a JSON pointer, numbers that Python would hold exactly and this
/// engine would not.
[[nodiscard]] Value data_from_json(Heap& heap, const Json& object);

}  // namespace ctxmgr::jinja
