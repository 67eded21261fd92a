#include "serve/json_parts.hpp"

#include <algorithm>
#include <cstddef>

namespace ctxpack::serve {
namespace {

constexpr std::string_view blanks = " \t\r\n";

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size())); }

/// Bytes of the string that the text begins with, its quotes with it.
std::size_t length_of_string(std::string_view text) {
  std::size_t at = 1;
  while (true) {
    const auto mark = text.find('"', at);
    if (mark == std::string_view::npos) return text.size();
    auto first = mark;
    while (first > at && text[first - 1] == '\\') --first;
    if ((mark - first) % 2 == 0) return mark + 1;
    at = mark + 1;
  }
}

/// Bytes of the value that the text begins with.
std::size_t length_of_value(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at += length_of_string(text.substr(at));
      if (depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',' || blanks.find(c) != std::string_view::npos)) return at;
    ++at;
    if (closes && --depth == 0) return at;
  }
  return text.size();
}

std::string_view take(std::string_view& text, std::size_t bytes) {
  const auto taken = text.substr(0, bytes);
  text.remove_prefix(taken.size());
  return taken;
}

std::string_view inside(std::string_view text, char open) {
  skip_blanks(text);
  if (text.empty() || text.front() != open) return {};
  text.remove_prefix(1);
  return text;
}

bool take_mark(std::string_view& text, char mark) {
  skip_blanks(text);
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

/// Where the last closing mark stands; npos where the text does not end in one.
std::size_t last_mark(std::string_view text, char mark) {
  const auto end = text.find_last_not_of(blanks);
  return end != std::string_view::npos && text[end] == mark ? end : std::string_view::npos;
}

std::string spliced(std::string_view text, std::size_t from, std::size_t bytes, std::string_view in_place) {
  std::string out;
  out.reserve(text.size() - bytes + in_place.size());
  return out.append(text.substr(0, from)).append(in_place).append(text.substr(from + bytes));
}

}  // namespace

Members::Members(std::string_view object) {
  auto left = inside(object, '{');
  while (true) {
    skip_blanks(left);
    if (left.empty() || left.front() != '"') return;
    const auto key = take(left, length_of_string(left));
    if (!take_mark(left, ':')) return;
    skip_blanks(left);
    const auto value = take(left, length_of_value(left));
    if (key.size() > 1) members_.emplace_back(key.substr(1, key.size() - 2), value);
    if (!take_mark(left, ',')) return;
  }
}

std::string_view Members::value(std::string_view name) const {
  const auto is_named = [name](const auto& member) { return member.first == name; };
  const auto found = std::find_if(members_.rbegin(), members_.rend(), is_named);
  return found == members_.rend() ? std::string_view() : found->second;
}

std::string_view value_in(std::string_view object, std::string_view name) { return Members(object).value(name); }

std::string with_value(std::string_view object, std::string_view name, std::string_view value) {
  const auto before = value_in(object, name);
  if (!before.empty())
    return spliced(object, static_cast<std::size_t>(before.data() - object.data()), before.size(), value);
  const auto end = last_mark(object, '}');
  auto left = inside(object, '{');
  if (end == std::string_view::npos || left.empty()) return std::string(object);
  skip_blanks(left);
  std::string member = left.front() == '}' ? "\"" : ",\"";
  member.append(name).append("\":").append(value);
  return spliced(object, end, 0, member);
}

Elements::Elements(std::string_view array) : left_(inside(array, '[')) {}

std::optional<std::string_view> Elements::next() {
  skip_blanks(left_);
  if (left_.empty() || left_.front() == ']') return std::nullopt;
  const auto element = take(left_, length_of_value(left_));
  if (!take_mark(left_, ',')) left_ = {};
  if (element.empty()) return std::nullopt;
  return element;
}

std::string with_elements(std::string_view array, std::string_view elements) {
  const auto end = last_mark(array, ']');
  auto left = inside(array, '[');
  if (end == std::string_view::npos || left.empty() || elements.empty()) return std::string(array);
  skip_blanks(left);
  return spliced(array, end, 0, (left.front() == ']' ? "" : ",") + std::string(elements));
}

}  // namespace ctxpack::serve
