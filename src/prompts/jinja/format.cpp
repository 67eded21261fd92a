#include "prompts/jinja/format.hpp"

#include <charconv>
#include <cmath>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

void append_hex(char32_t value, int digits, std::string& out) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += "0123456789abcdef"[(value >> shift) & 0xFU];
}

void append_escaped(char32_t c, std::string& out) {
  if (c < 0x100) {
    out += "\\x";
    append_hex(c, 2, out);
  } else if (c < 0x10000) {
    out += "\\u";
    append_hex(c, 4, out);
  } else {
    out += "\\U";
    append_hex(c, 8, out);
  }
}

void append_string_repr(std::string_view text, std::string& out) {
  const bool use_double = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = use_double ? '"' : '\'';
  out += quote;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t start = offset;
    const char32_t c = decode_next(text, offset);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == static_cast<char32_t>(quote)) {
      out += '\\';
      out += static_cast<char>(c);
    } else if (!is_printable(c)) {
      append_escaped(c, out);
    } else {
      out.append(text.substr(start, offset - start));
    }
  }
  out += quote;
}

void append_items(Heap& heap, const std::vector<Value>& items, std::string& out) {
  Nesting nesting(heap);
  heap.step(1 + items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    append_repr(heap, items[i], out);
    heap.check_room(out.size());
  }
}

void append_dict(Heap& heap, const DictObject& dict, std::string& out) {
  Nesting nesting(heap);
  heap.step(1 + dict.size());
  out += '{';
  for (std::size_t i = 0; i < dict.entries.size(); ++i) {
    if (i > 0) out += ", ";
    append_repr(heap, dict.entries[i].key, out);
    out += ": ";
    append_repr(heap, dict.entries[i].value, out);
    heap.check_room(out.size());
  }
  out += '}';
}

void append_tuple(Heap& heap, const SequenceObject& tuple, std::string& out) {
  out += '(';
  append_items(heap, tuple.items, out);
  out += tuple.items.size() == 1 ? ",)" : ")";
}

// The digits and the exponent of the shortest text that reads back as the same number.
std::string layout_digits(std::string_view scientific) {
  const bool negative = scientific[0] == '-';
  if (negative) scientific.remove_prefix(1);
  const std::size_t mark = scientific.find('e');
  std::string digits(1, scientific[0]);
  if (mark > 2) digits += scientific.substr(2, mark - 2);
  int exponent = 0;
  std::string_view tail = scientific.substr(mark + 1);
  if (tail[0] == '+') tail.remove_prefix(1);
  std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
  std::string out(negative ? "-" : "");
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (digits.size() > 1) out += "." + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    const std::string magnitude = std::to_string(std::abs(exponent));
    return out + (magnitude.size() < 2 ? "0" : "") + magnitude;
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0') + ".0";
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  return layout_digits({buffer, static_cast<std::size_t>(end - buffer)});
}

std::string float_fixed(double value, int digits) {
  std::string buffer(static_cast<std::size_t>(digits) + 330, '\0');
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits).ptr;
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return buffer;
}

void append_repr(Heap& heap, const Value& value, std::string& out) {
  switch (value.tag()) {
    case Tag::undefined: out += "Undefined"; break;
    case Tag::string:
      heap.step_text(value.text().size());
      if (value.string().markup) out += "Markup(";
      append_string_repr(value.text(), out);
      if (value.string().markup) out += ')';
      break;
    default: append_str(heap, value, out);
  }
}

void append_str(Heap& heap, const Value& value, std::string& out) {
  switch (value.tag()) {
    case Tag::missing: break;
    case Tag::undefined:
      if (value.is_strict_undefined()) refuse_undefined(value);
      break;
    case Tag::none: out += "None"; break;
    case Tag::boolean: out += value.as_integer() != 0 ? "True" : "False"; break;
    case Tag::integer: {
      char buffer[24];
      out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value.as_integer()).ptr);
      break;
    }
    case Tag::floating: out += float_repr(value.as_double()); break;
    case Tag::string: out += value.text(); break;
    case Tag::list:
      out += '[';
      append_items(heap, value.sequence().items, out);
      out += ']';
      break;
    case Tag::tuple: append_tuple(heap, value.sequence(), out); break;
    case Tag::dict: append_dict(heap, value.dict(), out); break;
    default: refuse(std::string("a value of type ") + std::string(type_name(value)) + " has no text");
  }
}

std::string to_str(Heap& heap, const Value& value) {
  std::string out;
  append_str(heap, value, out);
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace ctxmgr::jinja
