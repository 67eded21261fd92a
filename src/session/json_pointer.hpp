#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/json/json.hpp"

namespace ctxmgr {

/// What a JSON pointer (RFC 6901) names in a value; null where it names nothing or is none.
[[nodiscard]] const Json* at_pointer(const Json& value, std::string_view pointer);

}  // namespace ctxmgr
