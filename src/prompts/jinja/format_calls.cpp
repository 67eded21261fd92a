#include <charconv>
#include <cmath>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

std::size_t read_number(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    value = value * 10 + static_cast<std::size_t>(text[at++] - '0');
    if (value > 100'000) exceed("a field is too wide");
  }
  return value;
}

std::int64_t truncated(const Value& value) {
  if (value.is_integral()) return value.as_integer();
  if (!value.is(Tag::floating)) refuse("a number is required");
  const double whole = std::trunc(value.as_double());
  if (!(std::fabs(whole) < 9e18)) exceed("an integer of more than 64 bits is not supported");
  return static_cast<std::int64_t>(whole);
}

/// One rendering of `text % arguments`.
class PercentFormat {
 public:
  PercentFormat(Heap& heap, std::string_view text, const Value& arguments)
      : heap_(heap), text_(text), arguments_(arguments) {}

  std::string run() {
    std::string out;
    while (at_ < text_.size()) {
      const std::size_t mark = std::min(text_.find('%', at_), text_.size());
      out.append(text_.substr(at_, mark - at_));
      at_ = mark + 1;
      if (mark < text_.size()) append_field(out);
      heap_.check_room(out.size());
    }
    if (!used_mapping_ && !arguments_.is(Tag::dict) && taken_ < count()) {
      refuse("not all arguments are converted by the format");
    }
    return out;
  }

 private:
  std::size_t count() const { return arguments_.is(Tag::tuple) ? arguments_.sequence().items.size() : 1; }

  Value take() {
    if (used_mapping_) refuse("a format mixes named and positional fields");
    if (taken_ >= count()) refuse("there are not enough arguments for the format");
    ++taken_;
    return arguments_.is(Tag::tuple) ? arguments_.sequence().items[taken_ - 1] : arguments_;
  }

  Value named() {
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) refuse("the format has an incomplete field");
    if (text_.substr(at_ + 1, end - at_ - 1).find('(') != std::string_view::npos)
      refuse("this format field is not supported");
    if (!arguments_.is(Tag::dict)) refuse("the format needs a mapping");
    const Value* found = arguments_.dict().find(text_.substr(at_ + 1, end - at_ - 1));
    if (found == nullptr) refuse("the format names a field that is missing");
    at_ = end + 1;
    used_mapping_ = true;
    return *found;
  }

  void read_flags(FieldSpec& spec) {
    for (; at_ < text_.size(); ++at_) {
      switch (text_[at_]) {
        case '-': spec.align = '<'; break;
        case '0': spec.zero_pad = true; break;
        case '+': spec.sign = '+'; break;
        case ' ':
          if (spec.sign != '+') spec.sign = ' ';
          break;
        case '#': spec.alternate = true; break;
        default: return;
      }
    }
  }

  void read_widths(FieldSpec& spec) {
    if (at_ < text_.size() && text_[at_] == '*') refuse("a width from the arguments is not supported");
    spec.width = read_number(text_, at_);
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (at_ < text_.size() && text_[at_] == '*') refuse("a precision from the arguments is not supported");
      spec.precision = static_cast<int>(read_number(text_, at_));
    }
    while (at_ < text_.size() && (text_[at_] == 'l' || text_[at_] == 'h' || text_[at_] == 'L')) ++at_;
  }

  void append_field(std::string& out) {
    if (at_ >= text_.size()) refuse("the format has an incomplete field");
    if (text_[at_] == '%') {
      out += '%';
      ++at_;
      return;
    }
    Value value;
    if (text_[at_] == '(') value = named();
    FieldSpec spec;
    read_flags(spec);
    read_widths(spec);
    if (at_ >= text_.size()) refuse("the format has an incomplete field");
    const char type = text_[at_++];
    if (type == '%') refuse("this format field is not supported");
    if (value.is(Tag::missing)) value = take();
    out += convert(value, type, spec);
  }

  std::string convert(const Value& value, char type, FieldSpec spec) {
    switch (type) {
      case 's':
      case 'r':
        if (spec.align == 0) spec.align = '>';
        return format_text(type == 's' ? to_str(heap_, value) : to_repr(heap_, value), spec);
      case 'd':
      case 'i':
      case 'u': return integer(value, 'd', spec, true);
      case 'x':
      case 'X':
      case 'o': return integer(value, type, spec, false);
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
        if (!value.is_number()) refuse("a number is required");
        spec.type = type;
        return format_float(value.as_double(), spec);
      default: refuse("an unknown format code");
    }
  }

  static std::string integer(const Value& value, char type, FieldSpec spec, bool allow_float) {
    if (value.is(Tag::undefined)) refuse_undefined(value);
    if (!allow_float && !value.is_integral()) refuse("an integer is required");
    if (spec.precision >= 0) refuse("a precision of an integer is not supported");
    spec.type = type;
    return format_integer(truncated(value), spec);
  }

  Heap& heap_;
  std::string_view text_;
  const Value& arguments_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
  bool used_mapping_ = false;
};

/// One rendering of str.format.
class BraceFormat {
 public:
  BraceFormat(Heap& heap, std::string_view text, const std::vector<Value>& positional, const Value& keywords)
      : heap_(heap), text_(text), positional_(positional), keywords_(keywords) {}

  std::string run() {
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '{' && c != '}') {
        out += c;
      } else if (at_ < text_.size() && text_[at_] == c) {
        out += c;
        ++at_;
      } else if (c == '}') {
        refuse("the format has a single '}'");
      } else {
        append_field(out);
        heap_.check_room(out.size());
      }
    }
    return out;
  }

 private:
  void append_field(std::string& out) {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) refuse("the format has a single '{'");
    std::string_view field = text_.substr(at_, end - at_);
    if (field.find_first_of("{[.") < field.find(':')) refuse("this format field is not supported");
    at_ = end + 1;
    std::string_view spec_text;
    if (const auto colon = field.find(':'); colon != std::string_view::npos) {
      spec_text = field.substr(colon + 1);
      field = field.substr(0, colon);
      if (spec_text.find('{') != std::string_view::npos) refuse("this format field is not supported");
    }
    char conversion = 0;
    if (const auto mark = field.find('!'); mark != std::string_view::npos) {
      if (field.size() != mark + 2) refuse("this format field is not supported");
      conversion = field[mark + 1];
      field = field.substr(0, mark);
    }
    out += present(lookup(field), conversion, spec_text);
  }

  Value lookup(std::string_view name) {
    if (name.empty()) {
      if (manual_) refuse("the format mixes numbered and automatic fields");
      automatic_ = true;
      return at_position(next_++);
    }
    if (name[0] >= '0' && name[0] <= '9') {
      if (automatic_) refuse("the format mixes numbered and automatic fields");
      manual_ = true;
      std::size_t at = 0;
      const std::size_t position = read_number(name, at);
      if (at != name.size()) refuse("this format field is not supported");
      return at_position(position);
    }
    const Value* found = keywords_.is(Tag::dict) ? keywords_.dict().find(name) : nullptr;
    if (found == nullptr) refuse("the format names a field that is missing");
    return *found;
  }

  Value at_position(std::size_t position) const {
    if (position >= positional_.size()) refuse("there are not enough arguments for the format");
    return positional_[position];
  }

  static FieldSpec parse(std::string_view text) {
    FieldSpec spec;
    std::size_t at = 0;
    const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    const std::size_t first = text.empty() ? 0 : sequence_length(text[0]);
    if (first < text.size() && is_align(text[first])) {
      spec.fill = std::string(text.substr(0, first));
      spec.align = text[first];
      at = first + 1;
    } else if (!text.empty() && is_align(text[0])) {
      spec.align = text[at++];
    }
    if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' ')) spec.sign = text[at++];
    if (at < text.size() && text[at] == '#') spec.alternate = ++at > 0;
    if (at < text.size() && text[at] == '0') spec.zero_pad = ++at > 0;
    spec.width = read_number(text, at);
    if (at < text.size() && (text[at] == ',' || text[at] == '_')) spec.grouping = text[at++];
    if (at < text.size() && text[at] == '.') {
      ++at;
      if (at >= text.size() || text[at] < '0' || text[at] > '9') refuse("the format lacks a precision");
      spec.precision = static_cast<int>(read_number(text, at));
    }
    if (at < text.size()) spec.type = text[at++];
    if (at != text.size()) refuse("an invalid format");
    return spec;
  }

  std::string present(const Value& value, char conversion, std::string_view spec_text) {
    if (conversion != 0 && conversion != 's' && conversion != 'r') refuse("this format field is not supported");
    FieldSpec spec = parse(spec_text);
    const bool as_text = conversion != 0 || value.is(Tag::string);
    if (as_text) {
      if (spec.sign != '-' || spec.alternate || spec.grouping != 0 || spec.align == '=' || spec.zero_pad ||
          (spec.type != 0 && spec.type != 's')) {
        refuse("this format does not suit a text");
      }
      const std::string text = conversion == 'r' ? to_repr(heap_, value) : to_str(heap_, value);
      return format_text(text, spec);
    }
    if (spec_text.empty()) return to_str(heap_, value);
    return present_number(value, spec);
  }

  static std::string present_number(const Value& value, const FieldSpec& spec) {
    const bool float_type = spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos;
    if (value.is(Tag::boolean) && spec.type == 0) refuse("this format of a bool is not supported");
    if (value.is_integral() && !float_type) {
      if (spec.precision >= 0) refuse("a precision of an integer is not allowed");
      return format_integer(value.as_integer(), spec);
    }
    if (!value.is_number()) refuse("this format does not suit the value");
    return format_float(value.as_double(), spec);
  }

  Heap& heap_;
  std::string_view text_;
  const std::vector<Value>& positional_;
  const Value& keywords_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  bool automatic_ = false;
  bool manual_ = false;
};

}  // namespace

Value format_percent(Heap& heap, const Value& text, const Value& arguments) {
  if (text.string().markup) refuse("formatting an escaped text is not supported");
  heap.step_text(text.text().size());
  if (arguments.is(Tag::list) && text.text().find("%(") != std::string::npos) refuse("the format needs a mapping");
  return make_string(heap, PercentFormat(heap, text.text(), arguments).run());
}

Value format_braces(Heap& heap, const Value& text, const std::vector<Value>& positional, const Value& keywords) {
  if (text.string().markup) refuse("formatting an escaped text is not supported");
  heap.step_text(text.text().size());
  return make_string(heap, BraceFormat(heap, text.text(), positional, keywords).run());
}

}  // namespace ctxmgr::jinja
