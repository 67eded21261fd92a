#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ctxmgr {

/// A JSON value that keeps the order of keys, so that what is imported is exported as it was. Written as nlohmann::json
/// is, whose headers cost each source three seconds; nothing here throws (but std::bad_alloc). Reading a value as what it
/// is not gives nothing: an empty string, no members, zero.
class Json {
 public:
  class Init;
  using List = std::initializer_list<Init>;
  using Member = std::pair<std::string, Json>;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  enum class Kind { null, boolean, integer, unsigned_integer, real, string, array, object };

  Json() noexcept;
  Json(std::nullptr_t) noexcept : Json() {}
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  Json(std::string text) noexcept;
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  Json(Array elements) noexcept;
  template <class Value>
  requires std::constructible_from<Json, const Value&> Json(const std::vector<Value>& values)
      : Json(Array(values.begin(), values.end())) {}
  Json(std::same_as<bool> auto value) noexcept : Json(Number{value}) {}
  Json(std::signed_integral auto value) noexcept : Json(Number{static_cast<std::int64_t>(value)}) {}
  template <std::unsigned_integral Int>
  requires(!std::same_as<Int, bool>) Json(Int value)
  noexcept : Json(Number{static_cast<std::uint64_t>(value)}) {}
  Json(std::floating_point auto value) noexcept : Json(Number{static_cast<double>(value)}) {}

  /// A number as it was written: its digits are kept where a double has others ("1.10", integers of 23 digits).
  [[nodiscard]] static Json number(double value, std::string digits);

  /// An object where each entry is a pair that begins with a string, else an array.
  Json(List list);

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json array(List list);
  [[nodiscard]] static Json object();

  [[nodiscard]] Kind kind() const noexcept {
    const auto* const digits = std::get_if<Digits>(&value_);
    return digits != nullptr ? Kind::real : static_cast<Kind>(value_.index());
  }
  /// "number", "object" …
  [[nodiscard]] const char* type_name() const noexcept;
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
  [[nodiscard]] bool is_boolean() const noexcept { return kind() == Kind::boolean; }
  [[nodiscard]] bool is_number() const noexcept { return kind() >= Kind::integer && kind() <= Kind::real; }
  [[nodiscard]] bool is_integer() const noexcept { return is_number() && kind() != Kind::real; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == Kind::string; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == Kind::array; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == Kind::object; }

  [[nodiscard]] bool is_container() const noexcept { return kind() >= Kind::array; }

  [[nodiscard]] bool boolean() const noexcept;
  /// A number as this type, as static_cast has it.
  [[nodiscard]] std::int64_t integer() const noexcept;
  [[nodiscard]] std::uint64_t unsigned_integer() const noexcept;
  [[nodiscard]] double real() const noexcept;
  /// Of a number that keeps its digits; else null.
  [[nodiscard]] const std::string* digits() const noexcept;
  [[nodiscard]] const std::string& string() const noexcept;
  [[nodiscard]] const Array& elements() const noexcept;
  [[nodiscard]] const Object& members() const noexcept;

  /// For changing: the value becomes an empty one of this kind, where it is of another.
  [[nodiscard]] std::string& string();
  [[nodiscard]] Array& elements();
  [[nodiscard]] Object& members();

  /// Of an array or object; else 0 for null and 1.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Of an array, within its size.
  [[nodiscard]] const Json& operator[](std::integral auto index) const {
    return elements()[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Json& operator[](std::integral auto index) { return elements()[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Json& front() const { return elements().front(); }
  [[nodiscard]] const Json& back() const { return elements().back(); }
  [[nodiscard]] Json& back() { return elements().back(); }
  void push_back(Json value) { elements().push_back(std::move(value)); }
  Json& emplace_back(Json value = {}) { return elements().emplace_back(std::move(value)); }

  /// The member, null included; no pointer where there is none.
  [[nodiscard]] const Json* find(std::string_view key) const noexcept;
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return find(key) != nullptr; }
  /// The member, or null.
  [[nodiscard]] const Json& operator[](std::string_view key) const noexcept;
  /// The member, added as null where there is none.
  [[nodiscard]] Json& operator[](std::string_view key);
  void erase(std::string_view key);
  /// Takes over all members of another object.
  void update(const Json& other);

  template <class Value>
  class Iterator;
  /// The elements of an array or the values of an object's members; of anything else, nothing.
  [[nodiscard]] Iterator<const Json> begin() const noexcept;
  [[nodiscard]] Iterator<const Json> end() const noexcept;
  [[nodiscard]] Iterator<Json> begin() noexcept;
  [[nodiscard]] Iterator<Json> end() noexcept;

  /// Numbers are equal by value, or by their digits where both keep them; objects only with their members in the same order.
  friend bool operator==(const Json& a, const Json& b) noexcept;

 private:
  struct Digits {
    double value;
    std::shared_ptr<const std::string> text;
    friend bool operator==(const Digits& a, const Digits& b) noexcept { return *a.text == *b.text; }
  };
  using Number = std::variant<bool, std::int64_t, std::uint64_t, double>;
  explicit Json(Number value) noexcept;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object, Digits>
      value_;  // In the order of `Kind`, and last a real number with its digits.
};

/// An entry of a braced list. Values that nobody else holds are moved, as std::initializer_list itself cannot.
class Json::Init {
 public:
  template <class... Arguments>
  requires std::constructible_from<Json, Arguments...> Init(Arguments&&... arguments)
      : value_(std::forward<Arguments>(arguments)...) {}
  Init(List list) : value_(list) {}

 private:
  friend class Json;
  mutable Json value_;
};

template <class Value>
class Json::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;  // NOLINT(readability-identifier-naming)
  using value_type = Json;                              // NOLINT(readability-identifier-naming)
  using difference_type = std::ptrdiff_t;               // NOLINT(readability-identifier-naming)
  using pointer = Value*;                               // NOLINT(readability-identifier-naming)
  using reference = Value&;                             // NOLINT(readability-identifier-naming)

  using Entry = std::conditional_t<std::is_const_v<Value>, const Member, Member>;

  Iterator() = default;
  explicit Iterator(Value* element) : element_(element) {}
  explicit Iterator(Entry* member) : member_(member) {}

  Value& operator*() const { return member_ != nullptr ? member_->second : *element_; }
  Value* operator->() const { return &**this; }
  Iterator& operator++() {
    member_ != nullptr ? void(++member_) : void(++element_);
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const = default;

 private:
  Value* element_ = nullptr;
  Entry* member_ = nullptr;  ///< Set where the values are those of an object.
};

}  // namespace ctxmgr
