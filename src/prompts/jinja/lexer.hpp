#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::jinja {

enum class TokenType : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  string,
  integer,
  floating,
  symbol,
  end,
};

struct Token {
  TokenType type = TokenType::end;
  std::uint32_t offset = 0;
  std::string text{};  ///< Decoded: a string's value, a number's digits without underscores, a symbol.
};

struct LexerOptions {
  bool trim_blocks = false;
  bool lstrip_blocks = false;
  bool keep_trailing_newline = true;
};

/// The source with \r\n and \r turned into \n, and its last one dropped where the options say so.
[[nodiscard]] std::string normalize_newlines(std::string_view source, const LexerOptions& options);

/// The tokens of a normalised source, ending with `end`.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source, const LexerOptions& options);

}  // namespace ctxmgr::jinja
