#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// Kept free on a page of a tool's answer for the line that says where it comes from, or what is missing.
inline constexpr std::int64_t note_tokens = 80;
/// A page of fewer tokens would hold little beside that line.
inline constexpr std::int64_t least_result_tokens = 200;

enum class PageUnit { characters, lines };

/// Which part of a text is wanted. Characters are code points; both are counted from 0.
struct PageRequest {
  PageUnit unit = PageUnit::characters;
  std::size_t offset = 0;
  std::optional<std::size_t> limit{};
};

struct Page {
  std::string_view text{};  ///< Within the text that was given.
  std::size_t total_characters = 0;
  std::size_t first_character = 0;
  std::size_t end_character = 0;  ///< Where the next page begins.
  std::size_t end_line = 0;       ///< The end in lines; of use where `ends_line`.
  bool ends_line = false;
  bool is_last = false;  ///< The text ends with this page.
};

/// As much of the wanted part as `max_tokens` allow, cut at the end of a line where one is near, else between two
/// characters; one character at least. `text` is valid UTF-8.
[[nodiscard]] Page cut_page(std::string_view text, const PageRequest& request, std::int64_t max_tokens,
                            const TokenCounter& counter);

/// The length of the longest beginning of a text, in bytes and whole characters, that has at most so many tokens.
[[nodiscard]] std::size_t fitting_bytes(std::string_view text, std::int64_t max_tokens, const TokenCounter& counter);

}  // namespace ctxmgr
