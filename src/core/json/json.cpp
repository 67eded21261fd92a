#include "core/json/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_json_depth) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
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
const std::string* find_duplicate_key(const Json::object_t& object) {
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

/// Builds the value from the parser's events. nlohmann's own builder looks every key up in the list of those before it,
/// which takes hours for an object of a million keys.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json root;
  std::optional<Error> error;

  explicit Builder(std::string_view text) : text_(text) {}

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return add(value) != nullptr; }
  bool string(string_t& value) override { return add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    object.emplace_back(std::move(value), nullptr);
    member_ = &object.back().second;
    return true;
  }

  bool end_object() override {
    const std::string* duplicate = find_duplicate_key(open_.back()->get_ref<const Json::object_t&>());
    if (duplicate == nullptr) return close();
    open_.pop_back();
    error = Error{ErrorCode::invalid_argument, "duplicate key at " + pointer() + pointer_token(*duplicate), {}};
    return false;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& cause) override {
    const bool is_surrogate = std::string_view(cause.what()).find("surrogate") != std::string_view::npos;
    error = error_at(text_, position > 0 ? position - 1 : 0,
                     cause.id == 406 ? "number out of range"
                     : is_surrogate  ? "half of a surrogate pair"
                                     : "malformed JSON");
    return false;
  }

 private:
  Json* add(Json value) {
    if (open_.empty()) return &(root = std::move(value));
    if (open_.back()->is_object()) return &(*member_ = std::move(value));
    open_.back()->get_ref<Json::array_t&>().push_back(std::move(value));
    return &open_.back()->get_ref<Json::array_t&>().back();
  }

  bool open(Json value) {
    open_.push_back(add(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// Where the last value of each open container stands.
  std::string pointer() const {
    std::string out;
    for (const Json* container : open_) {
      out += container->is_object() ? pointer_token(container->get_ref<const Json::object_t&>().back().first)
                                    : pointer_token(std::to_string(container->size() - 1));
    }
    return out;
  }

  std::string_view text_;
  std::vector<Json*> open_;  // stays valid: a container does not grow while one inside it is open
  Json* member_ = nullptr;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
  const std::size_t deep = find_too_deep(text);
  if (deep != std::string_view::npos) return tl::unexpected(error_at(text, deep, "more than 64 levels of JSON"));
  const std::size_t invalid = utf8::find_invalid(text);
  if (invalid < text.size()) return tl::unexpected(error_at(text, invalid, "invalid UTF-8"));
  Builder builder(text);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return tl::unexpected(std::move(*builder.error));
  return std::move(builder.root);
}

std::string dump_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json* find_field(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
    if (name == key) return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

const std::string* get_string(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  return value != nullptr ? value->get_ptr<const std::string*>() : nullptr;
}

std::optional<std::int64_t> get_int(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  return value != nullptr ? to_int64(*value) : std::nullopt;
}

std::optional<double> get_double(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::optional<bool> get_bool(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

std::optional<std::int64_t> to_int64(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  } else if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  } else if (json.is_number_float()) {
    constexpr double exact_limit = 9007199254740992.0;  // 2^53: up to here every integer is a double
    const auto value = json.get<double>();
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
  out = json.get_ref<const std::string&>();
}

void read_json(JsonReader& in, const Json& json, bool& out) {
  if (!json.is_boolean()) return in.expected("true or false", json);
  out = json.get<bool>();
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
  out = json.get<double>();
}

void read_json(JsonReader& in, const Json& json, Timestamp& out) {
  if (json.is_number()) {
    const auto seconds = json.get<double>();
    constexpr double limit = 9.1e9;  // as parse_rfc3339(): years 1682 to 2258
    if (!(seconds >= -limit && seconds <= limit)) return in.fail("time out of range");
    const auto milliseconds = std::chrono::milliseconds(static_cast<std::int64_t>(std::floor(seconds * 1000)));
    out = Timestamp(milliseconds);
    return;
  }
  if (!json.is_string()) return in.expected("a time as RFC 3339 has it", json);
  const auto time = parse_rfc3339(json.get_ref<const std::string&>());
  if (!time) return in.fail("not a time as RFC 3339 has it");
  out = *time;
}

void read_json(JsonReader& in, const Json& json, std::map<std::string, std::string>& out) {
  if (!in.is_object(json)) return;
  out.clear();
  for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
    TextOrJson text{out[key]};
    in.member(key, value, text);
  }
}

void read_json(JsonReader&, const Json& json, TextOrJson& out) {
  out.was_json = !json.is_string();
  out.text = out.was_json ? dump_json(json) : json.get_ref<const std::string&>();
}

}  // namespace ctxmgr
