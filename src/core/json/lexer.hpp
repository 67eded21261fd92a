#pragma once
#include <cstddef>
#include <string_view>

namespace ctxmgr {

/// A token of JSON: a bracket, a colon, a comma, a string, or another scalar (a number, `true`, a bare word).
struct JsonToken {
  char kind = 0;  ///< One of "{}[]:,"; '"' for a string, '0' for another scalar, 0 at the end of the text.
  std::size_t begin = 0;
  std::size_t end = 0;  ///< One past its last byte.

  explicit operator bool() const { return kind != 0; }
  [[nodiscard]] bool opens() const { return kind == '{' || kind == '['; }
  [[nodiscard]] bool closes() const { return kind == '}' || kind == ']'; }
  [[nodiscard]] bool is_scalar() const { return kind == '"' || kind == '0'; }
};

/// Whether JSON allows it between tokens.
[[nodiscard]] constexpr bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The token at or after a place. Takes any text, also JSON that is broken or cut: a string without its end goes to the end
/// of the text, and bytes that JSON knows nothing of are bare words. Each byte is read once from token to token.
[[nodiscard]] JsonToken next_json_token(std::string_view text, std::size_t at);

}  // namespace ctxmgr
