#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prompts/jinja/heap.hpp"
#include "prompts/jinja/text.hpp"

/// \file
/// What Python's str methods and jinja2's text filters share.
namespace ctxmgr::jinja {

/// Where a text is in others, in time that grows with both lengths and not with their product.
class TextSearch {
 public:
  /// Refuses a text that would take too much memory.
  TextSearch(Heap& heap, std::string_view wanted);

  /// The first place; npos: nowhere.
  [[nodiscard]] std::size_t find(std::string_view text) const;

 private:
  std::string_view wanted_;
  std::vector<std::uint32_t> borders_{};  ///< Knuth, Morris and Pratt's; empty for a short text, which needs none.
};

/// str.strip with a set of characters.
[[nodiscard]] std::string_view strip_characters(std::string_view text, std::string_view characters, Side side);
/// str.replace; a negative count replaces all. Charges the heap before it builds a long result.
[[nodiscard]] std::string replace_all(Heap& heap, std::string_view text, std::string_view from, std::string_view to,
                                      std::int64_t count);
/// str.split at a separator, or at runs of white space where it is empty.
[[nodiscard]] std::vector<std::string_view> split(Heap& heap, std::string_view text, std::string_view separator,
                                                  std::int64_t limit);
/// str.splitlines
[[nodiscard]] std::vector<std::string_view> split_lines(Heap& heap, std::string_view text);

}  // namespace ctxmgr::jinja
