#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prompts/jinja/heap.hpp"

/// \file
/// What Python's str methods and jinja2's text filters share.
namespace ctxmgr::jinja {

enum class Side { left, right, both };

/// str.strip with a set of characters.
[[nodiscard]] std::string_view strip_characters(std::string_view text, std::string_view characters, Side side);
/// str.replace; a negative count replaces all. Charges the heap before it builds a long result.
[[nodiscard]] std::string replace_all(Heap& heap, std::string_view text, std::string_view from, std::string_view to,
                                      std::int64_t count);
/// str.split and str.rsplit at a separator, or at runs of white space where it is empty.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, std::string_view separator,
                                                  std::int64_t limit);
[[nodiscard]] std::vector<std::string_view> split_from_right(std::string_view text, std::string_view separator,
                                                             std::int64_t limit);
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);
/// str.center as CPython does it: an odd rest goes to the left where the width is odd.
[[nodiscard]] std::string center(Heap& heap, std::string_view text, std::int64_t width, std::string_view fill);
/// str.ljust and str.rjust.
[[nodiscard]] std::string justify(Heap& heap, std::string_view text, std::int64_t width, std::string_view fill,
                                  Side side);

}  // namespace ctxmgr::jinja
