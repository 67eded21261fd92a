#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ctxmgr {

/// A value of a pattern, as text. Refers to texts, so it lives no longer than the call.
class WordedValue {
 public:
  template <std::convertible_to<std::string_view> Text>
  WordedValue(const Text& text) : text_(text) {}  // NOLINT(google-explicit-constructor): each argument becomes one.
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) WordedValue(Number number)
      : digits_(std::to_string(number)) {}  // NOLINT(google-explicit-constructor): the same.

  [[nodiscard]] std::string_view text() const { return digits_.empty() ? text_ : digits_; }

 private:
  std::string_view text_{};
  std::string digits_{};
};

[[nodiscard]] std::string worded_with(std::string_view pattern, std::initializer_list<WordedValue> values);

/// The pattern with a value for each "{}", in their order, or for "{0}" to "{9}" by its number. "{{" is "{", "}}" is "}".
///
///     worded("{} of {} tokens", used, most)
template <class... Values>
[[nodiscard]] std::string worded(std::string_view pattern, const Values&... values) {
  return worded_with(pattern, {WordedValue(values)...});
}

/// With so many digits behind the point, in every locale.
[[nodiscard]] std::string decimals(double value, int digits);

/// With so many digits in all, without zeros at the end.
[[nodiscard]] std::string significant(double value, int digits);

/// In front of a number, as often as it takes for `width`.
[[nodiscard]] std::string padded(std::int64_t number, std::size_t width, char pad);

template <class Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between) {
  std::string all;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    if (text != texts.begin()) all.append(between);
    all.append(*text);
  }
  return all;
}

}  // namespace ctxmgr
