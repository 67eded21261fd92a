#include "core/json/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/json/half_surrogates.hpp"
#include "core/json/lexer.hpp"
#include "core/json/parser.hpp"
#include "core/timestamp.hpp"
#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

Error error_at(std::string_view text, std::size_t offset, std::string_view what) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return {ErrorCode::invalid_argument,
          std::string(what) + " at line " + std::to_string(line) + ", column " + std::to_string(column),
          {}};
}

/// Where the nesting goes too deep, or npos. Malformed text is left to the parser.
std::size_t find_too_deep(std::string_view text) {
  std::size_t depth = 0;
  for (JsonToken token = next_json_token(text, 0); token; token = next_json_token(text, token.end)) {
    if (token.opens() && ++depth > max_json_depth) return token.begin;
    if (token.closes() && depth > 0) --depth;
  }
  return std::string_view::npos;
}

/// A key as part of a message: escaped for a JSON pointer, on one line, and not longer than a screen shows.
std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (const char c : key.substr(0, utf8::floor_boundary(key, 80))) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c);
    }
  }
  return utf8::repair(out);
}

/// A key that is there twice, or null.
const std::string* find_duplicate_key(const Json::Object& object) {
  if (object.size() < 2) return nullptr;
  const auto less = [](const std::string* a, const std::string* b) { return *a < *b; };
  const auto same = [](const std::string* a, const std::string* b) { return *a == *b; };
  std::vector<const std::string*> keys;
  keys.reserve(object.size());
  for (const auto& member : object) keys.push_back(&member.first);
  std::sort(keys.begin(), keys.end(), less);
  const auto found = std::adjacent_find(keys.begin(), keys.end(), same);
  return found == keys.end() ? nullptr : *found;
}

/// With its digits where the double would be written with others.
Json number_of(double value, std::string_view written) {
  return json_number(value) == written ? Json(value) : Json::number(value, std::string(written));
}

/// Builds the value from the parser's events.
class Builder final : public JsonEvents {
 public:
  Json root;
  std::optional<Error> error;

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool integer(std::int64_t value) override { return add(value) != nullptr; }
  bool unsigned_integer(std::uint64_t value) override { return add(value) != nullptr; }
  bool real(double value, std::string_view written) override { return add(number_of(value, written)) != nullptr; }
  bool string(std::string& value) override { return add(std::move(value)) != nullptr; }
  bool begin(char bracket) override { return open(bracket == '{' ? Json::object() : Json::array()); }

  bool key(std::string& value) override {
    auto& object = open_.back()->members();
    object.emplace_back(std::move(value), nullptr);
    member_ = &object.back().second;
    return true;
  }

  bool end(char bracket) override {
    const auto* const duplicate = bracket == '{' ? find_duplicate_key(open_.back()->members()) : nullptr;
    open_.pop_back();
    if (duplicate == nullptr) return true;
    error = Error{ErrorCode::invalid_argument, "duplicate key at " + pointer() + pointer_token(*duplicate), {}};
    return false;
  }

 private:
  Json* add(Json value) {
    if (open_.empty()) return &(root = std::move(value));
    if (open_.back()->is_object()) return &(*member_ = std::move(value));
    open_.back()->elements().push_back(std::move(value));
    return &open_.back()->elements().back();
  }

  bool open(Json value) {
    open_.push_back(add(std::move(value)));
    return true;
  }

  /// Where the last value of each open container stands.
  std::string pointer() const {
    std::string out;
    for (const Json* container : open_) {
      out += container->is_object() ? pointer_token(container->members().back().first)
                                    : pointer_token(std::to_string(container->size() - 1));
    }
    return out;
  }

  std::vector<Json*> open_;  // stays valid: a container does not grow while one inside it is open
  Json* member_ = nullptr;
};

/// For a text that is only looked at.
class NoEvents final : public JsonEvents {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool integer(std::int64_t) override { return true; }
  bool unsigned_integer(std::uint64_t) override { return true; }
  bool real(double, std::string_view) override { return true; }
  bool string(std::string&) override { return true; }
  bool key(std::string&) override { return true; }
  bool begin(char) override { return true; }
  bool end(char) override { return true; }
};

std::string_view words_of(JsonFault::Kind kind) {
  switch (kind) {
    case JsonFault::Kind::number_range: return "number out of range";
    case JsonFault::Kind::surrogate: return "half of a surrogate pair";
    default: return "malformed JSON";
  }
}

bool is_written_as_it_is(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

/// Bytes from `at` on that are written as they are, looked at eight at a time.
std::size_t plain_run(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t highs = ones * 0x80;
  const auto has_zero = [](std::uint64_t word) { return (word - ones) & ~word & highs; };
  const std::size_t begin = at;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const auto below_blank = (word - ones * 0x20) & ~word & highs;
    if ((below_blank | has_zero(word ^ (ones * '"')) | has_zero(word ^ (ones * '\\'))) != 0) break;
  }
  while (at < text.size() && is_written_as_it_is(text[at])) ++at;
  return at - begin;
}

void write(const std::string& text, std::string& out) {
  if (utf8::find_invalid(text) < text.size()) {
    write(utf8::repair(text), out);
    return;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t plain = plain_run(text, i);
    out.append(text, i, plain);
    i += plain;
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    out += '\\';
    if (const std::size_t at = escaped.find(text[i]); at != std::string_view::npos) {
      out += letters[at];
    } else {
      out.append("u00").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
  }
  out += '"';
}

template <class Int>
void write_integer(Int value, std::string& out) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void write(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  out += json_number(value);
}

void write(const Json& json, std::string& out) {
  char separator = 0;
  const auto begin_item = [&](char bracket) {
    out += separator == 0 ? bracket : separator;
    separator = ',';
  };
  switch (json.kind()) {
    case Json::Kind::null: out += "null"; break;
    case Json::Kind::boolean: out += json.boolean() ? "true" : "false"; break;
    case Json::Kind::integer: write_integer(json.integer(), out); break;
    case Json::Kind::unsigned_integer: write_integer(json.unsigned_integer(), out); break;
    case Json::Kind::real:
      if (const std::string* const digits = json.digits()) {
        out += *digits;
      } else {
        write(json.real(), out);
      }
      break;
    case Json::Kind::string: write(json.string(), out); break;
    case Json::Kind::array:
      for (const Json& element : json.elements()) {
        begin_item('[');
        write(element, out);
      }
      out += json.empty() ? "[]" : "]";
      break;
    case Json::Kind::object:
      for (const auto& [key, value] : json.members()) {
        begin_item('{');
        write(key, out);
        out += ':';
        write(value, out);
      }
      out += json.empty() ? "{}" : "}";
      break;
  }
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
  const std::size_t deep = find_too_deep(text);
  if (deep != std::string_view::npos) return tl::unexpected(error_at(text, deep, "more than 64 levels of JSON"));
  const auto mended = mend_half_surrogates(text);
  if (mended) text = mended->text;
  const std::size_t invalid = utf8::find_invalid(text);
  if (invalid < text.size()) return tl::unexpected(error_at(text, invalid, "invalid UTF-8"));
  Builder builder;
  if (const auto fault = parse_events(text, builder))
    return tl::unexpected(builder.error ? std::move(*builder.error)
                                        : error_at(text, fault->offset, words_of(fault->kind)));
  return std::move(builder.root);
}

bool is_json(std::string_view text) {
  const auto mended = mend_half_surrogates(text);
  if (mended) text = mended->text;
  NoEvents events;
  return utf8::find_invalid(text) == text.size() && !parse_events(text, events);
}

std::string dump_json(const Json& json) {
  std::string out;
  write(json, out);
  return out;
}

const Json* find_field(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

const std::string* get_string(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  return value != nullptr && value->is_string() ? &value->string() : nullptr;
}

std::optional<std::int64_t> get_int(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  return value != nullptr ? to_int64(*value) : std::nullopt;
}

std::optional<double> get_double(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->real();
}

std::optional<bool> get_bool(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->boolean();
}

std::optional<std::int64_t> to_int64(const Json& json) {
  if (json.kind() == Json::Kind::unsigned_integer) {
    const auto value = json.unsigned_integer();
    if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  } else if (json.is_integer()) {
    return json.integer();
  } else if (json.kind() == Json::Kind::real) {
    constexpr double exact_limit = 9007199254740992.0;  // 2^53: up to here every integer is a double
    const auto value = json.real();
    if (value >= -exact_limit && value <= exact_limit && value == std::trunc(value)) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::nullopt;
}

void JsonReader::fail(std::string_view what) {
  if (error_) return;
  std::string message;
  for (const Step& step : path_) {
    message += pointer_token(step.key.data() != nullptr ? step.key : std::to_string(step.index));
  }
  if (!message.empty()) message += ": ";
  error_ = message.append(what);
}

void JsonReader::expected(std::string_view what, const Json& found) {
  fail(std::string("expected ")
           .append(what)
           .append(", found ")
           .append(found.is_null() ? "null or nothing" : found.type_name()));
}

bool JsonReader::is_object(const Json& json) {
  if (!json.is_object()) expected("an object", json);
  return json.is_object();
}

void JsonReader::object_text(const Json& object, std::string_view key, std::string& out) {
  const Json* value = find_field(object, key);
  if (value == nullptr || !ok()) return;
  path_.push_back({key, 0});
  if (is_object(*value)) out = dump_json(*value);
  path_.pop_back();
}

void read_json(JsonReader& in, const Json& json, std::string& out) {
  if (!json.is_string()) return in.expected("a string", json);
  out = json.string();
}

void read_json(JsonReader& in, const Json& json, bool& out) {
  if (!json.is_boolean()) return in.expected("true or false", json);
  out = json.boolean();
}

void read_json(JsonReader& in, const Json& json, std::int64_t& out) {
  const auto value = to_int64(json);
  if (value) {
    out = *value;
  } else if (json.is_number()) {
    in.fail("expected an integer of at most 64 bits");
  } else {
    in.expected("an integer", json);
  }
}

void read_json(JsonReader& in, const Json& json, double& out) {
  if (!json.is_number()) return in.expected("a number", json);
  out = json.real();
}

void read_json(JsonReader& in, const Json& json, Timestamp& out) {
  if (json.is_number()) {
    const auto seconds = json.real();
    constexpr double limit = 9.1e9;  // as parse_rfc3339(): years 1682 to 2258
    if (!(seconds >= -limit && seconds <= limit)) return in.fail("time out of range");
    const auto milliseconds = std::chrono::milliseconds(static_cast<std::int64_t>(std::floor(seconds * 1000)));
    out = Timestamp(milliseconds);
    return;
  }
  if (!json.is_string()) return in.expected("a time as RFC 3339 has it", json);
  const auto time = parse_rfc3339(json.string());
  if (!time) return in.fail("not a time as RFC 3339 has it");
  out = *time;
}

void read_json(JsonReader& in, const Json& json, std::map<std::string, std::string>& out) {
  if (!in.is_object(json)) return;
  out.clear();
  for (const auto& [key, value] : json.members()) {
    TextOrJson text{out[key]};
    in.member(key, value, text);
  }
}

void read_json(JsonReader&, const Json& json, TextOrJson& out) {
  out.was_json = !json.is_string();
  out.text = out.was_json ? dump_json(json) : json.string();
}

}  // namespace ctxmgr
