#include "core/json/value.hpp"

#include <algorithm>

namespace ctxmgr {
namespace {

template <class Value>
auto member_of(Value& object, std::string_view key) {
  return std::find_if(object.begin(), object.end(), [&](const auto& member) { return member.first == key; });
}

template <class To>
struct AsNumber {
  To operator()(bool) const { return 0; }
  To operator()(std::int64_t value) const { return static_cast<To>(value); }
  To operator()(std::uint64_t value) const { return static_cast<To>(value); }
  To operator()(double value) const { return static_cast<To>(value); }
  template <class Other>
  To operator()(const Other&) const {
    return 0;
  }
};

}  // namespace

Json::Json() noexcept = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept : value_(std::move(other.value_)) { other.value_ = nullptr; }
Json& Json::operator=(const Json& other) { return *this = Json(other); }  // which may be one of this one's own
Json& Json::operator=(Json&& other) noexcept {
  auto taken = std::move(other.value_);
  other.value_ = nullptr;
  value_ = std::move(taken);
  return *this;
}
Json::~Json() = default;

Json::Json(std::string text) noexcept : value_(std::move(text)) {}
Json::Json(Array elements) noexcept : value_(std::move(elements)) {}
Json::Json(Number value) noexcept {
  std::visit([this](auto number) { value_ = number; }, value);
}

Json Json::number(double value, std::string digits) {
  Json json;
  json.value_ = Digits{value, std::make_shared<const std::string>(std::move(digits))};
  return json;
}

Json::Json(List list) {
  const bool is_object = std::all_of(list.begin(), list.end(), [](const Init& entry) {
    return entry.value_.is_array() && entry.value_.size() == 2 && entry.value_.elements()[0].is_string();
  });
  if (!is_object) {
    *this = array(list);
    return;
  }
  Object& members = value_.emplace<Object>();
  members.reserve(list.size());
  for (const Init& entry : list) {
    Array& pair = entry.value_.elements();
    if (member_of(members, pair[0].string()) == members.end()) {
      members.emplace_back(std::move(pair[0].string()), std::move(pair[1]));
    }
  }
}

Json Json::array() { return Array(); }

Json Json::array(List list) {
  Array elements;
  elements.reserve(list.size());
  for (const Init& entry : list) elements.push_back(std::move(entry.value_));
  return elements;
}

Json Json::object() {
  Json json;
  json.value_.emplace<Object>();
  return json;
}

const char* Json::type_name() const noexcept {
  switch (kind()) {
    case Kind::null: return "null";
    case Kind::boolean: return "boolean";
    case Kind::string: return "string";
    case Kind::array: return "array";
    case Kind::object: return "object";
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real: break;
  }
  return "number";
}

bool Json::boolean() const noexcept {
  const bool* value = std::get_if<bool>(&value_);
  return value != nullptr && *value;
}

std::int64_t Json::integer() const noexcept {
  return digits() != nullptr ? static_cast<std::int64_t>(real()) : std::visit(AsNumber<std::int64_t>(), value_);
}

std::uint64_t Json::unsigned_integer() const noexcept {
  return digits() != nullptr ? static_cast<std::uint64_t>(real()) : std::visit(AsNumber<std::uint64_t>(), value_);
}

double Json::real() const noexcept {
  const auto* const digits = std::get_if<Digits>(&value_);
  return digits != nullptr ? digits->value : std::visit(AsNumber<double>(), value_);
}

const std::string* Json::digits() const noexcept {
  const auto* const digits = std::get_if<Digits>(&value_);
  return digits != nullptr ? digits->text.get() : nullptr;
}

const std::string& Json::string() const noexcept {
  static const std::string none;
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : none;
}

const Json::Array& Json::elements() const noexcept {
  static const Array none;
  const auto* value = std::get_if<Array>(&value_);
  return value != nullptr ? *value : none;
}

const Json::Object& Json::members() const noexcept {
  static const Object none;
  const auto* value = std::get_if<Object>(&value_);
  return value != nullptr ? *value : none;
}

std::string& Json::string() { return is_string() ? *std::get_if<std::string>(&value_) : value_.emplace<std::string>(); }
Json::Array& Json::elements() { return is_array() ? *std::get_if<Array>(&value_) : value_.emplace<Array>(); }
Json::Object& Json::members() { return is_object() ? *std::get_if<Object>(&value_) : value_.emplace<Object>(); }

std::size_t Json::size() const noexcept {
  if (is_array()) return elements().size();
  if (is_object()) return members().size();
  return is_null() ? 0 : 1;
}

const Json* Json::find(std::string_view key) const noexcept {
  const auto found = member_of(members(), key);
  return found != members().end() ? &found->second : nullptr;
}

const Json& Json::operator[](std::string_view key) const noexcept {
  static const Json none;
  const Json* found = find(key);
  return found != nullptr ? *found : none;
}

Json& Json::operator[](std::string_view key) {
  Object& object = members();
  const auto found = member_of(object, key);
  return found != object.end() ? found->second : object.emplace_back(key, Json()).second;
}

void Json::erase(std::string_view key) {
  if (!is_object()) return;
  Object& object = members();
  const auto found = member_of(object, key);
  if (found != object.end()) object.erase(found);
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.members()) (*this)[key] = value;
}

Json::Iterator<const Json> Json::begin() const noexcept {
  return is_object() ? Iterator<const Json>(members().data()) : Iterator<const Json>(elements().data());
}

Json::Iterator<const Json> Json::end() const noexcept {
  return is_object() ? Iterator<const Json>(members().data() + members().size())
                     : Iterator<const Json>(elements().data() + elements().size());
}

Json::Iterator<Json> Json::begin() noexcept {
  if (is_object()) return Iterator<Json>(members().data());
  return Iterator<Json>(is_array() ? elements().data() : nullptr);
}

Json::Iterator<Json> Json::end() noexcept {
  if (is_object()) return Iterator<Json>(members().data() + members().size());
  return Iterator<Json>(is_array() ? elements().data() + elements().size() : nullptr);
}

bool operator==(const Json& a, const Json& b) noexcept {
  if (a.value_.index() == b.value_.index()) return a.value_ == b.value_;
  if (!a.is_number() || !b.is_number()) return false;
  if (a.kind() == Json::Kind::real || b.kind() == Json::Kind::real) return a.real() == b.real();
  // One of them is unsigned.
  return a.integer() >= 0 && b.integer() >= 0 && a.integer() == b.integer();
}

}  // namespace ctxmgr
