#include "prompts/jinja/data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "core/json/json.hpp"
#include "core/real_number.hpp"
#include "core/utf8.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr bool is_low_half(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

class Reader {
 public:
  Reader(Heap& heap, std::string_view text)
      : heap_(heap), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  std::optional<Value> run() {
    Value value;
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, 3) == "\xEF\xBB\xBF") at_ += 3;
    skip_space();
    if (at_ == end_ || *at_ != '{' || !read(value, 1)) return std::nullopt;
    skip_space();
    return at_ == end_ ? std::optional<Value>(std::move(value)) : std::nullopt;
  }

 private:
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  bool skip(char wanted) {
    skip_space();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  bool read(Value& value, std::size_t depth) {
    skip_space();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return depth <= max_json_depth && read_object(value, depth);
      case '[': return depth <= max_json_depth && read_array(value, depth);
      case '"': return read_string(value);
      case 't': return read_word("true", Value::boolean(true), value);
      case 'f': return read_word("false", Value::boolean(false), value);
      case 'n': return read_word("null", Value::none(), value);
      default: return read_number(value);
    }
  }

  bool read_word(std::string_view word, const Value& meaning, Value& value) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word) return false;
    at_ += word.size();
    value = meaning;
    return true;
  }

  bool read_object(Value& value, std::size_t depth) {
    ++at_;
    value = make_dict(heap_);
    DictObject& dict = value.dict();
    if (skip('}')) return true;
    do {
      Value key;
      Value member;
      skip_space();
      if (at_ == end_ || *at_ != '"' || !read_string(key) || !skip(':') || !read(member, depth + 1)) return false;
      const std::size_t size = dict.size();
      dict.set(key, std::move(member));
      if (dict.size() == size) return false;
    } while (skip(','));
    return skip('}');
  }

  bool read_array(Value& value, std::size_t depth) {
    ++at_;
    std::vector<Value> items;
    if (!skip(']')) {
      do {
        Value item;
        if (!read(item, depth + 1)) return false;
        items.push_back(std::move(item));
      } while (skip(','));
      if (!skip(']')) return false;
    }
    value = make_list(heap_, std::move(items));
    return true;
  }

  // Up to a quote, a backslash or a control character.
  std::string_view read_plain() {
    const char* start = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  bool read_string(Value& value) {
    ++at_;
    std::string text(read_plain());
    while (at_ != end_ && *at_ == '\\') {
      if (!read_escape(text)) return false;
      text += read_plain();
    }
    if (at_ == end_ || *at_ != '"') return false;
    ++at_;
    value = make_string(heap_, std::move(text));
    return true;
  }

  bool read_escape(std::string& text) {
    ++at_;
    if (at_ == end_) return false;
    static constexpr std::string_view plain = "\"\\/bfnrt";
    static constexpr std::string_view meaning = "\"\\/\b\f\n\r\t";
    const char c = *at_++;
    if (const auto known = plain.find(c); known != std::string_view::npos) {
      text += meaning[known];
      return true;
    }
    char32_t code_point = 0;
    if (c != 'u' || !read_unit(code_point)) return false;
    if (code_point >= 0xD800 && code_point < 0xDC00) code_point = join_halves(code_point);
    if (is_low_half(code_point)) code_point = replacement;
    encode(code_point, text);
    return true;
  }

  // Half of a pair becomes U+FFFD, and what follows it stays to be read.
  char32_t join_halves(char32_t high) {
    const char* const after = at_;
    char32_t low = 0;
    if (end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      if (read_unit(low) && is_low_half(low)) return 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00);
    }
    at_ = after;
    return replacement;
  }

  bool read_unit(char32_t& unit) {
    std::uint32_t value = 0;
    if (end_ - at_ < 4) return false;
    const auto result = std::from_chars(at_, at_ + 4, value, 16);
    if (result.ptr != at_ + 4) return false;
    at_ += 4;
    unit = static_cast<char32_t>(value);
    return true;
  }

  const char* skip_digits(const char* from) const {
    while (from != end_ && *from >= '0' && *from <= '9') ++from;
    return from;
  }

  bool read_number(Value& value) {
    const char* start = at_;
    const char* digits = start != end_ && *start == '-' ? start + 1 : start;
    const char* end = skip_digits(digits);
    if (end == digits || (*digits == '0' && end - digits > 1)) return false;
    const char* whole = end;
    if (end != end_ && *end == '.') {
      const char* fraction = end + 1;
      end = skip_digits(fraction);
      if (end == fraction) return false;
    }
    if (end != end_ && (*end == 'e' || *end == 'E')) {
      const char* exponent = end + 1;
      if (exponent != end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
      end = skip_digits(exponent);
      if (end == exponent) return false;
    }
    at_ = end;
    if (end == whole) {
      std::int64_t integer = 0;
      if (std::from_chars(start, end, integer).ec != std::errc()) refuse_big(start);
      value = Value::integer(integer);
      return true;
    }
    const auto real = read_real({start, static_cast<std::size_t>(end - start)});
    if (!real || !std::isfinite(*real)) return false;
    value = Value::floating(*real);
    return true;
  }

  [[noreturn]] void refuse_big(const char* number) const {
    const auto line = std::count(begin_, number, '\n') + 1;
    exceed("data: line " + std::to_string(line) + ": an integer of more than 64 bits is not supported");
  }

  Heap& heap_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace

Value read_data(Heap& heap, std::string_view text) {
  if (utf8::is_valid(text)) {
    if (auto value = Reader(heap, text).run()) return *std::move(value);
  }
  const auto json = parse_json(text);
  if (!json) throw Failure{json.error().code, "data: " + json.error().message};
  refuse("data: expected an object");
}

}  // namespace ctxmgr::jinja
