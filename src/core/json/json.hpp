#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/json/value.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/timestamp.hpp"

/// \file
/// JSON inside the library: text to values and back, and typed reading. The parser behind it is known to json.cpp alone.
///
/// One rule for all ingress: UTF-8 with or without a leading byte order mark, one value and nothing after it, at most 64
/// levels, no key twice in an object, no number beyond a double. Whatever breaks it is refused, with line and column.
/// Numbers that no 64-bit integer and no double writes with the same digits keep theirs, and count as that double (RFC 8259,
/// section 6). Half of a surrogate pair becomes U+FFFD.
namespace ctxmgr {

inline constexpr std::size_t max_json_depth = 64;

/// `invalid_argument` with line and column (counted in bytes from 1) or, for a key that occurs twice, its JSON pointer.
/// Depth is checked before anything is built.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

/// Whether it is one JSON value, of any depth and with any keys. Half of a surrogate pair may be in it.
[[nodiscard]] bool is_json(std::string_view text);

/// Compact text. Never throws (but std::bad_alloc): invalid UTF-8 becomes U+FFFD, NaN and infinities become null.
[[nodiscard]] std::string dump_json(const Json& json);

/// For data that is read leniently: the field, or null where there is none, where it is null, or where `object` is none.
[[nodiscard]] const Json* find_field(const Json& object, std::string_view key);
[[nodiscard]] const std::string* get_string(const Json& object, std::string_view key);
[[nodiscard]] std::optional<std::int64_t> get_int(const Json& object, std::string_view key);
[[nodiscard]] std::optional<double> get_double(const Json& object, std::string_view key);
[[nodiscard]] std::optional<bool> get_bool(const Json& object, std::string_view key);

/// A JSON integer that fits, or a float that is one ("3.0"); nothing else, and no undefined conversion.
[[nodiscard]] std::optional<std::int64_t> to_int64(const Json& json);

/// Reads typed values strictly and remembers the first thing that was wrong, with its JSON pointer. A type takes part by
/// an overload of `read_json(JsonReader&, const Json&, Value&)` in its namespace; missing and null fields leave the
/// defaults.
class JsonReader {
 public:
  [[nodiscard]] bool ok() const { return !error_; }

  /// Records an error at the present place, unless there is one already.
  void fail(std::string_view what);

  /// Records that something else was expected: "expected a string, found a number".
  void expected(std::string_view what, const Json& found);

  /// False, and an error, where it is not an object.
  bool is_object(const Json& json);

  /// The field's object as JSON text; an error where it is neither object nor null.
  void object_text(const Json& object, std::string_view key, std::string& out);

  template <class Value>
  void field(const Json& object, std::string_view key, Value& out) {
    const Json* value = find_field(object, key);
    if (value != nullptr) at({key, 0}, *value, out);
  }

  /// As `field()`, and an error where it is missing or null.
  template <class Value>
  void required(const Json& object, std::string_view key, Value& out) {
    const Json missing;
    const Json* value = find_field(object, key);
    at({key, 0}, value != nullptr ? *value : missing, out);
  }

  /// For a value that the caller has already found.
  template <class Value>
  void member(std::string_view key, const Json& json, Value& out) {
    at({key, 0}, json, out);
  }

  template <class Value>
  void item(std::size_t index, const Json& json, Value& out) {
    at({{}, index}, json, out);
  }

  /// The value, or the error.
  template <class Value>
  [[nodiscard]] Result<Value> finish(Value&& value, ErrorCode code) && {
    if (error_) return ctxmgr::fail(code, std::move(*error_));
    return std::forward<Value>(value);
  }

 private:
  struct Step {
    std::string_view key;  // no data pointer: an index
    std::size_t index;
  };

  template <class Value>
  void at(Step step, const Json& json, Value& out) {
    if (!ok()) return;
    path_.push_back(step);
    read_json(*this, json, out);
    path_.pop_back();
  }

  std::vector<Step> path_;
  std::optional<std::string> error_;
};

void read_json(JsonReader& in, const Json& json, std::string& out);
void read_json(JsonReader& in, const Json& json, bool& out);
void read_json(JsonReader& in, const Json& json, std::int64_t& out);
void read_json(JsonReader& in, const Json& json, double& out);
void read_json(JsonReader& in, const Json& json, Timestamp& out);  // RFC 3339, or seconds since 1970
void read_json(JsonReader& in, const Json& json, std::map<std::string, std::string>& out);

/// Text that may also be given as a structured value, which becomes its JSON text: tool results, arguments, content.
struct TextOrJson {
  std::string& text;
  bool was_json = false;
};
void read_json(JsonReader& in, const Json& json, TextOrJson& out);

template <std::integral Int>
void read_json(JsonReader& in, const Json& json, Int& out) {
  std::int64_t wide = 0;
  read_json(in, json, wide);
  if (!in.ok()) return;
  if (!std::in_range<Int>(wide)) return in.fail("number out of range");
  out = static_cast<Int>(wide);
}

template <class Rep, class Period>
void read_json(JsonReader& in, const Json& json, std::chrono::duration<Rep, Period>& out) {
  std::int64_t count = 0;
  read_json(in, json, count);
  out = std::chrono::duration<Rep, Period>(count);
}

template <class Enum>
requires std::is_enum_v<Enum>
void read_json(JsonReader& in, const Json& json, Enum& out) {
  std::string name;
  read_json(in, json, name);
  if (!in.ok()) return;
  const auto value = parse_enum<Enum>(name);
  if (value) {
    out = *value;
    return;
  }
  std::string names = "expected one of";
  for (const auto& [candidate, known] : EnumNames<Enum>::values) names.append(" ").append(known);
  in.fail(names);
}

template <class Value>
void read_json(JsonReader& in, const Json& json, std::optional<Value>& out) {
  read_json(in, json, out.emplace());
}

template <class Value>
void read_json(JsonReader& in, const Json& json, std::vector<Value>& out) {
  if (!json.is_array()) return in.expected("an array", json);
  out.clear();
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size() && in.ok(); ++i) in.item(i, json[i], out.emplace_back());
}

template <class Value>
[[nodiscard]] Result<Value> decode_json(const Json& json, ErrorCode code = ErrorCode::invalid_argument) {
  JsonReader in;
  Value value{};
  read_json(in, json, value);
  return std::move(in).finish(std::move(value), code);
}

/// The way out: a type takes part by an overload of `Json write_json(const Value&)`.
template <class Value>
[[nodiscard]] Json write_json(const std::vector<Value>& values) {
  Json out = Json::array();
  for (const Value& value : values) out.push_back(write_json(value));
  return out;
}

}  // namespace ctxmgr
