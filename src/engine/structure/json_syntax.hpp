#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Whether a strict parser (RFC 8259) takes the text as one JSON value, blanks around it allowed. Linear.
[[nodiscard]] bool is_json(std::string_view text);

/// Whether the text has two lines or more and each of them, but for blank ones, is one JSON object or array. Linear.
[[nodiscard]] bool is_json_lines(std::string_view text);

/// JSON without the blanks between its tokens; everything else of it, digits and doubled keys too, stays. Of a text that is
/// JSON only.
[[nodiscard]] std::string without_blanks(std::string_view json);

}  // namespace ctxmgr::engine
