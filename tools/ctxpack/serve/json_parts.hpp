#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// Parts of a JSON text by where they stand, without reading what is in them: requests are large, and the proxy needs little of
/// each. Texts that are no JSON give parts that are none; whoever reads a part finds out.
namespace ctxpack::serve {

/// An object's members, found at once. The text has to outlive it.
class Members {
 public:
  explicit Members(std::string_view object);

  /// The text of one; of several of that name the last one, as readers take it. Empty where there is none.
  [[nodiscard]] std::string_view value(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

/// One of them.
[[nodiscard]] std::string_view value_in(std::string_view object, std::string_view name);

/// The object with another value under that name, at its place or at the end. The object itself where it is none.
[[nodiscard]] std::string with_value(std::string_view object, std::string_view name, std::string_view value);

/// The elements of an array, one after the other.
class Elements {
 public:
  explicit Elements(std::string_view array);

  /// Nothing after the last one, and where the text is no array.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  std::string_view left_;
};

/// The array with this element, or these with commas between them, behind its own.
[[nodiscard]] std::string with_elements(std::string_view array, std::string_view elements);

}  // namespace ctxpack::serve
