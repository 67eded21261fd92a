#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// The strings and numbers of JSON arguments, one after the other; the text itself where it is no JSON.
[[nodiscard]] std::string argument_values(const std::string& arguments_json, std::string_view separator);

/// A text on one line of at most `most` bytes and "…".
[[nodiscard]] std::string single_line(std::string_view text, std::size_t most);

/// "read(src/late_fee.cpp)": a call as people write it, `most` bytes of its arguments; the name alone where there
/// are none.
[[nodiscard]] std::string call_line(std::string_view tool, const std::string& arguments_json, std::size_t most);

}  // namespace ctxmgr::engine
