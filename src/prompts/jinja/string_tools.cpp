#include "prompts/jinja/string_tools.hpp"

#include <algorithm>

#include "core/utf8.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

/// Up to this length the product of the lengths is harmless.
constexpr std::size_t short_text = 16;

/// Another part: a list of them will need at least as much.
void keep(Heap& heap, std::vector<std::string_view>& parts, std::string_view part) {
  if (parts.size() % 1024 == 1023) heap.check_room(parts.size() * 2 * sizeof(std::string_view));
  parts.push_back(part);
}

std::size_t find_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (is_space(decode_next(text, next))) return at;
    at = next;
  }
  return text.size();
}

std::vector<std::string_view> split_spaces(Heap& heap, std::string_view text, std::int64_t limit) {
  std::vector<std::string_view> parts;
  text = strip(text, Side::left);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
      keep(heap, parts, text);
      break;
    }
    const std::size_t end = find_space(text, 0);
    keep(heap, parts, text.substr(0, end));
    text = strip(text.substr(end), Side::left);
  }
  return parts;
}

}  // namespace

TextSearch::TextSearch(Heap& heap, std::string_view wanted) : wanted_(wanted) {
  if (wanted.size() <= short_text) return;
  heap.check_room(wanted.size() * sizeof(std::uint32_t));
  borders_.resize(wanted.size());
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    while (length > 0 && wanted[i] != wanted[length]) length = borders_[length - 1];
    if (wanted[i] == wanted[length]) ++length;
    borders_[i] = length;
  }
}

std::size_t TextSearch::find(std::string_view text) const {
  if (borders_.empty()) return text.find(wanted_);
  std::size_t matched = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (matched > 0 && text[i] != wanted_[matched]) matched = borders_[matched - 1];
    if (text[i] == wanted_[matched]) ++matched;
    if (matched == wanted_.size()) return i + 1 - matched;
  }
  return std::string_view::npos;
}

std::string_view strip_characters(std::string_view text, std::string_view characters, Side side) {
  std::vector<char32_t> set = decode_all(characters);
  std::sort(set.begin(), set.end());
  return strip(text, side, [&set](char32_t c) { return std::binary_search(set.begin(), set.end(), c); });
}

namespace {

// An empty pattern matches before every character and at the end.
std::string insert_between(Heap& heap, std::string_view text, std::string_view to, std::int64_t count) {
  const std::size_t places = utf8::count_code_points(text) + 1;
  const std::size_t times = count < 0 ? places : std::min(places, static_cast<std::size_t>(count));
  heap.check_room(text.size() + times * to.size());
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < places; ++i) {
    if (i < times) out += to;
    if (at >= text.size()) break;
    const std::size_t length = sequence_length(text[at]);
    out += text.substr(at, length);
    at += length;
  }
  return out;
}

}  // namespace

std::string replace_all(Heap& heap, std::string_view text, std::string_view from, std::string_view to,
                        std::int64_t count) {
  if (from.empty()) return insert_between(heap, text, to, count);
  const TextSearch search(heap, from);
  std::string out;
  for (std::size_t found = 0; count != 0 && (found = search.find(text)) != std::string_view::npos; --count) {
    out.append(text.substr(0, found)).append(to);
    heap.check_room(out.size());
    heap.step_text(to.size());
    text.remove_prefix(found + from.size());
  }
  return out.append(text);
}

std::vector<std::string_view> split(Heap& heap, std::string_view text, std::string_view separator, std::int64_t limit) {
  if (separator.empty()) return split_spaces(heap, text, limit);
  const TextSearch search(heap, separator);
  std::vector<std::string_view> parts;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
    const std::size_t found = search.find(text);
    if (found == std::string_view::npos) break;
    keep(heap, parts, text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  keep(heap, parts, text);
  return parts;
}

std::vector<std::string_view> split_lines(Heap& heap, std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<signed char>(text[at]) >= 0x20) {  // ASCII that ends no line
      ++at;
      continue;
    }
    const std::size_t end = at;
    const char32_t c = decode_next(text, at);
    if (!is_line_end(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    keep(heap, lines, text.substr(start, end - start));
    start = at;
  }
  if (start < text.size()) keep(heap, lines, text.substr(start));
  return lines;
}

}  // namespace ctxmgr::jinja
