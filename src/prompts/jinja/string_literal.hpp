#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxmgr::jinja {

/// What stands between the quotes of a string literal, decoded as jinja2 does: by Python's `unicode-escape`.
[[nodiscard]] std::string decode_string_literal(std::string_view body, std::uint32_t offset);

}  // namespace ctxmgr::jinja
