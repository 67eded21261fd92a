#include "session/text_page.hpp"

#include <algorithm>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

// More text than any tokenizer packs into a token on average; a page may be a little shorter for it.
constexpr std::size_t max_bytes_per_token = 16;

/// Where the n-th character begins; the end where there are fewer.
std::size_t byte_of_character(std::string_view text, std::size_t n) {
  std::size_t position = 0;
  while (n > 0 && position < text.size()) {
    position += utf8::decode(text, position).bytes;
    --n;
  }
  return position;
}

std::size_t byte_of_line(std::string_view text, std::size_t n) {
  std::size_t position = 0;
  while (n > 0 && position < text.size()) {
    const auto end = text.find('\n', position);
    position = end == text.npos ? text.size() : end + 1;
    --n;
  }
  return position;
}

/// Shortened to its last line end, if that takes no more than a fifth.
std::string_view to_line_end(std::string_view text) {
  const auto end = text.rfind('\n');
  return end != text.npos && end + 1 >= text.size() - text.size() / 5 ? text.substr(0, end + 1) : text;
}

}  // namespace

std::size_t fitting_bytes(std::string_view text, std::int64_t max_tokens, const TokenCounter& counter) {
  const auto cap = static_cast<std::size_t>(std::max<std::int64_t>(max_tokens, 0)) * max_bytes_per_token;
  auto high = utf8::floor_boundary(text, std::min(text.size(), cap));
  if (counter.count_up_to(text.substr(0, high), max_tokens) <= max_tokens) return high;
  std::size_t low = 0;  // fits; high does not
  while (true) {
    const auto middle = utf8::floor_boundary(text, low + (high - low) / 2);
    if (middle <= low) return low;
    (counter.count_up_to(text.substr(0, middle), max_tokens) <= max_tokens ? low : high) = middle;
  }
}

Page cut_page(std::string_view text, const PageRequest& request, std::int64_t max_tokens, const TokenCounter& counter) {
  const auto byte_of = request.unit == PageUnit::lines ? byte_of_line : byte_of_character;
  const auto begin = byte_of(text, request.offset);
  auto wanted = text.substr(begin);
  if (request.limit) wanted = wanted.substr(0, byte_of(wanted, *request.limit));
  Page page;
  page.text = wanted.substr(0, fitting_bytes(wanted, max_tokens, counter));
  if (page.text.size() < wanted.size()) page.text = to_line_end(page.text);
  if (page.text.empty() && !wanted.empty()) page.text = wanted.substr(0, utf8::decode(wanted, 0).bytes);
  const auto end = begin + page.text.size();
  page.total_characters = utf8::count_code_points(text);
  page.first_character = utf8::count_code_points(text.substr(0, begin));
  page.end_character = page.first_character + utf8::count_code_points(page.text);
  page.end_line =
      static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  page.ends_line = end > 0 && text[end - 1] == '\n';
  page.is_last = end == text.size();
  return page;
}

}  // namespace ctxmgr
