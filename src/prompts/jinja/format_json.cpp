#include <algorithm>
#include <cmath>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Heap& heap, const JsonStyle& style) : heap_(heap), style_(style) {}

  void write(const Value& value) {
    switch (value.tag()) {
      case Tag::none: out += "null"; break;
      case Tag::boolean: out += value.as_integer() != 0 ? "true" : "false"; break;
      case Tag::integer: out += std::to_string(value.as_integer()); break;
      case Tag::floating: out += float_text(value.as_double()); break;
      case Tag::string: write_string(value.text()); break;
      case Tag::list:
      case Tag::tuple: write_items(value.sequence().items); break;
      case Tag::dict: write_dict(value.dict()); break;
      default: refuse(std::string("a value of type ") + std::string(type_name(value)) + " cannot be written as JSON");
    }
    heap_.check_room(out.size());
  }

  std::string out;

 private:
  static std::string float_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return float_repr(value);
  }

  void write_unit(unsigned unit) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[(unit >> shift) & 0xFU];
  }

  void write_escape(char32_t c) {
    if (c < 0x10000) {
      write_unit(static_cast<unsigned>(c));
    } else {
      write_unit(static_cast<unsigned>(0xD800 + ((c - 0x10000) >> 10U)));
      write_unit(static_cast<unsigned>(0xDC00 + ((c - 0x10000) & 0x3FFU)));
    }
  }

  bool must_escape(char32_t c) const {
    if (c < 0x20) return true;
    if (style_.ascii_only && c >= 0x7F) return c != 0x7F;
    return style_.html_safe && (c == '<' || c == '>' || c == '&' || c == '\'');
  }

  void write_string(std::string_view text) {
    heap_.step_text(text.size());
    out += '"';
    for (std::size_t offset = 0; offset < text.size();) {
      const std::size_t start = offset;
      const char32_t c = decode_next(text, offset);
      switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\f': out += "\\f"; break;
        case '\b': out += "\\b"; break;
        default:
          if (must_escape(c)) {
            write_escape(c);
          } else {
            out.append(text.substr(start, offset - start));
          }
      }
    }
    out += '"';
  }

  void new_line(int depth) {
    if (!style_.has_indent) return;
    out += '\n';
    for (int i = 0; i < depth; ++i) out += style_.indent;
  }

  void separate(bool first, int depth) {
    if (!first) out += style_.item_separator;
    new_line(depth);
  }

  void write_items(const std::vector<Value>& items) {
    if (items.empty()) {
      out += "[]";
      return;
    }
    Nesting nesting(heap_);
    heap_.step(items.size());
    out += '[';
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      separate(i == 0, depth_);
      write(items[i]);
    }
    --depth_;
    new_line(depth_);
    out += ']';
  }

  void write_key(const Value& key) {
    switch (key.tag()) {
      case Tag::string: write_string(key.text()); break;
      case Tag::none:
      case Tag::boolean:
      case Tag::integer:
      case Tag::floating:
        out += '"';
        write(key);
        out += '"';
        break;
      default: refuse("a key cannot be written as JSON");
    }
  }

  void write_dict(const DictObject& dict) {
    if (dict.entries.empty()) {
      out += "{}";
      return;
    }
    Nesting nesting(heap_);
    heap_.step(dict.size());
    std::vector<const DictObject::Entry*> entries;
    for (const auto& entry : dict.entries) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [this](const auto* left, const auto* right) { return less(heap_, left->key, right->key); });
    }
    out += '{';
    ++depth_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      separate(i == 0, depth_);
      write_key(entries[i]->key);
      out += style_.key_separator;
      write(entries[i]->value);
    }
    --depth_;
    new_line(depth_);
    out += '}';
  }

  Heap& heap_;
  const JsonStyle& style_;
  int depth_ = 0;
};

}  // namespace

std::string to_json_text(Heap& heap, const Value& value, const JsonStyle& style) {
  JsonWriter writer(heap, style);
  writer.write(value);
  return std::move(writer.out);
}

}  // namespace ctxmgr::jinja
