#include "prompts/jinja/string_tools.hpp"

#include <algorithm>

#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

bool in_set(std::string_view character, std::string_view characters) {
  for (std::size_t at = characters.find(character); at != std::string_view::npos;
       at = characters.find(character, at + 1)) {
    if ((static_cast<unsigned char>(characters[at]) & 0xC0U) != 0x80) return true;
  }
  return false;
}

bool is_plain_ascii(char c) { return static_cast<signed char>(c) >= 0x20; }

std::size_t last_start(std::string_view text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80) --start;
  return start;
}

std::size_t find_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (is_space(decode_next(text, next))) return at;
    at = next;
  }
  return text.size();
}

std::vector<std::string_view> split_spaces(std::string_view text, std::int64_t limit) {
  std::vector<std::string_view> parts;
  text = strip_left(text);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
      parts.push_back(strip_right(text));
      break;
    }
    const std::size_t end = find_space(text, 0);
    parts.push_back(text.substr(0, end));
    text = strip_left(text.substr(end));
  }
  return parts;
}

std::vector<std::string_view> split_spaces_from_right(std::string_view text, std::int64_t limit) {
  std::vector<std::string_view> parts;
  text = strip_right(text);
  while (!text.empty()) {
    if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
      parts.push_back(strip_left(text));
      break;
    }
    std::size_t start = text.size();
    while (start > 0) {
      const std::size_t previous = last_start(text.substr(0, start));
      std::size_t offset = previous;
      if (is_space(decode_next(text, offset))) break;
      start = previous;
    }
    parts.push_back(text.substr(start));
    text = strip_right(text.substr(0, start));
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

void append_fill(std::string& out, std::string_view fill, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += fill;
}

std::string padded(Heap& heap, std::string_view text, std::string_view fill, std::size_t before, std::size_t after) {
  heap.check_room((before + after) * fill.size() + text.size());
  heap.step_text((before + after) * fill.size() + text.size());
  std::string out;
  append_fill(out, fill, before);
  out += text;
  append_fill(out, fill, after);
  return out;
}

}  // namespace

std::string_view strip_characters(std::string_view text, std::string_view characters, Side side) {
  while (side != Side::right && !text.empty()) {
    const std::string_view first = text.substr(0, sequence_length(text[0]));
    if (!in_set(first, characters)) break;
    text.remove_prefix(first.size());
  }
  while (side != Side::left && !text.empty()) {
    const std::size_t start = last_start(text);
    if (!in_set(text.substr(start), characters)) break;
    text = text.substr(0, start);
  }
  return text;
}

namespace {

// An empty pattern matches before every character and at the end.
std::string insert_between(Heap& heap, std::string_view text, std::string_view to, std::int64_t count) {
  const std::size_t places = count_code_points(text) + 1;
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
  heap.step_text(text.size());
  if (from.empty()) return insert_between(heap, text, to, count);
  std::string out;
  std::size_t at = 0;
  while (count != 0) {
    const std::size_t found = text.find(from, at);
    if (found == std::string_view::npos) break;
    out.append(text.substr(at, found - at)).append(to);
    heap.check_room(out.size());
    heap.step_text(to.size());
    at = found + from.size();
    --count;
  }
  return out.append(text.substr(at));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator, std::int64_t limit) {
  if (separator.empty()) return split_spaces(text, limit);
  std::vector<std::string_view> parts;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
    const std::size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    parts.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_from_right(std::string_view text, std::string_view separator, std::int64_t limit) {
  if (separator.empty()) return split_spaces_from_right(text, limit);
  std::vector<std::string_view> parts;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
    const std::size_t found = text.rfind(separator);
    if (found == std::string_view::npos) break;
    parts.push_back(text.substr(found + separator.size()));
    text = text.substr(0, found);
  }
  parts.push_back(text);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain_ascii(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = at;
    const char32_t c = decode_next(text, at);
    if (!is_line_end(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.push_back(text.substr(start, (keep_ends ? at : end) - start));
    start = at;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return lines;
}

std::string center(Heap& heap, std::string_view text, std::int64_t width, std::string_view fill) {
  const auto length = static_cast<std::int64_t>(count_code_points(text));
  if (width <= length) return std::string(text);
  const std::int64_t rest = width - length;
  const std::int64_t left = rest / 2 + (rest & width & 1);
  return padded(heap, text, fill, static_cast<std::size_t>(left), static_cast<std::size_t>(rest - left));
}

std::string justify(Heap& heap, std::string_view text, std::int64_t width, std::string_view fill, Side side) {
  const auto length = static_cast<std::int64_t>(count_code_points(text));
  if (width <= length) return std::string(text);
  const auto rest = static_cast<std::size_t>(width - length);
  return padded(heap, text, fill, side == Side::right ? rest : 0, side == Side::right ? 0 : rest);
}

}  // namespace ctxmgr::jinja
