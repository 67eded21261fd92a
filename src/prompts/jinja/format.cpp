#include "prompts/jinja/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json/parser.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

void append_hex(char32_t value, int digits, std::string& out) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += "0123456789abcdef"[(value >> shift) & 0xFU];
}

/// Writes values as Python's repr() does, or as JSON.
class Writer {
 public:
  /// Without a style: as repr() does.
  Writer(Heap& heap, const JsonStyle* json, std::string& out)
      : heap_(heap), json_(json), style_(json != nullptr ? *json : python), out_(out) {}

  void write(const Value& value) {
    switch (value.tag()) {
      case Tag::none: out_ += json_ != nullptr ? "null" : "None"; break;
      case Tag::boolean: write_boolean(value.as_integer() != 0); break;
      case Tag::integer: write_integer(value.as_integer()); break;
      case Tag::floating: write_float(value.as_double()); break;
      case Tag::string: write_string(value.string()); break;
      case Tag::list:
      case Tag::tuple: write_items(value); break;
      case Tag::dict: write_dict(value.dict()); break;
      default: write_odd(value);
    }
    heap_.check_room(out_.size());
  }

 private:
  static const JsonStyle python;

  void write_boolean(bool value) { out_ += json_ != nullptr ? (value ? "true" : "false") : (value ? "True" : "False"); }

  void write_integer(std::int64_t value) {
    char buffer[24];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }

  void write_float(double value) {
    if (std::isnan(value)) {
      out_ += json_ != nullptr ? "NaN" : "nan";
    } else if (std::isinf(value)) {
      if (value < 0) out_ += '-';
      out_ += json_ != nullptr ? "Infinity" : "inf";
    } else {
      constexpr int python_whole_digits = 16;
      out_ += json_number(value, python_whole_digits);
    }
  }

  void write_odd(const Value& value) {
    if (json_ == nullptr && value.is(Tag::undefined)) {
      out_ += "Undefined";
      return;
    }
    refuse("a value of type " + std::string(type_name(value)) +
           (json_ != nullptr ? " cannot be written as JSON" : " has no text"));
  }

  void write_string(const StringObject& value) {
    const std::string& text = value.text;
    heap_.step_text(text.size());
    const bool is_markup = value.markup && json_ == nullptr;
    const bool use_single =
        json_ == nullptr && (text.find('\'') == std::string::npos || text.find('"') != std::string::npos);
    const char quote = use_single ? '\'' : '"';
    if (is_markup) out_ += "Markup(";
    out_ += quote;
    for (std::size_t offset = 0; offset < text.size();) {
      const std::size_t start = offset;
      const char32_t c = decode_next(text, offset);
      if (!write_escape(c, quote)) out_.append(text, start, offset - start);
    }
    out_ += quote;
    if (is_markup) out_ += ')';
  }

  bool write_escape(char32_t c, char quote) {
    constexpr std::string_view escaped = "\n\r\t\b\f";
    constexpr std::string_view letters = "nrtbf";
    const std::size_t python_letters = 3;
    const std::size_t found = c < 0x80 ? escaped.find(static_cast<char>(c)) : std::string_view::npos;
    if (found < (json_ != nullptr ? letters.size() : python_letters)) {
      out_.append(1, '\\').append(1, letters[found]);
    } else if (c == '\\' || c == static_cast<char32_t>(quote)) {
      out_.append(1, '\\').append(1, static_cast<char>(c));
    } else if (json_ != nullptr ? must_escape(c) : !is_printable(c)) {
      write_number(c);
    } else {
      return false;
    }
    return true;
  }

  bool must_escape(char32_t c) const {
    if (c < 0x20) return true;
    if (json_->ascii_only && c >= 0x7F) return c != 0x7F;
    return json_->html_safe && (c == '<' || c == '>' || c == '&' || c == '\'');
  }

  // Python has three lengths of escapes, JSON pairs of surrogates.
  void write_number(char32_t c) {
    if (json_ == nullptr && (c < 0x100 || c >= 0x10000)) {
      out_ += c < 0x100 ? "\\x" : "\\U";
      append_hex(c, c < 0x100 ? 2 : 8, out_);
    } else if (c >= 0x10000) {
      write_number(0xD800 + ((c - 0x10000) >> 10U));
      write_number(0xDC00 + ((c - 0x10000) & 0x3FFU));
    } else {
      out_ += "\\u";
      append_hex(c, 4, out_);
    }
  }

  void new_line() {
    if (!style_.has_indent) return;
    out_ += '\n';
    for (int i = 0; i < depth_; ++i) out_ += style_.indent;
  }

  template <class WriteItem>
  void write_each(std::size_t count, const WriteItem& write_item) {
    const Nesting nesting(heap_);
    heap_.step(1 + count);
    ++depth_;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += style_.item_separator;
      new_line();
      write_item(i);
    }
    --depth_;
    if (count > 0) new_line();
  }

  void write_items(const Value& value) {
    const auto& items = value.sequence().items;
    const bool is_tuple = value.is(Tag::tuple) && json_ == nullptr;
    out_ += is_tuple ? '(' : '[';
    write_each(items.size(), [&](std::size_t i) { write(items[i]); });
    if (is_tuple && items.size() == 1) out_ += ',';
    out_ += is_tuple ? ')' : ']';
  }

  void write_key(const Value& key) {
    if (json_ != nullptr && key.is(Tag::tuple)) refuse("a key cannot be written as JSON");
    const bool quoted = json_ != nullptr && !key.is(Tag::string);
    if (quoted) out_ += '"';
    write(key);
    if (quoted) out_ += '"';
  }

  void write_dict(const DictObject& dict) {
    std::vector<const DictObject::Entry*> entries;
    for (const auto& entry : dict.entries) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [this](const auto* left, const auto* right) { return less(heap_, left->key, right->key); });
    }
    out_ += '{';
    write_each(entries.size(), [&](std::size_t i) {
      write_key(entries[i]->key);
      out_ += style_.key_separator;
      write(entries[i]->value);
    });
    out_ += '}';
  }

  Heap& heap_;
  const JsonStyle* json_;
  const JsonStyle& style_;
  std::string& out_;
  int depth_ = 0;
};

const JsonStyle Writer::python{.sort_keys = false};

}  // namespace

std::string float_fixed(double value, int digits) {
  std::string buffer(static_cast<std::size_t>(digits) + 330, '\0');
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits).ptr;
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return buffer;
}

void append_str(Heap& heap, const Value& value, std::string& out) {
  if (value.is(Tag::missing)) return;
  if (value.is_strict_undefined()) refuse_undefined(value);
  if (value.is(Tag::undefined)) return;
  if (value.is(Tag::string)) {
    out += value.text();
  } else {
    Writer(heap, nullptr, out).write(value);
  }
}

std::string to_str(Heap& heap, const Value& value) {
  std::string out;
  append_str(heap, value, out);
  return out;
}

std::string to_json_text(Heap& heap, const Value& value, const JsonStyle& style) {
  std::string out;
  Writer(heap, &style, out).write(value);
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
