#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/json/json.hpp"

namespace ctxmgr::session {

/// The arguments of a tool call as a model wrote them, checked against the tool's JSON Schema (types string, integer and array,
/// `minimum`, `enum`, `required`). Read leniently: a number may be text, null is as good as absent, and what the schema
/// does not name is not looked at.
class ToolArguments {
 public:
  /// The error is a sentence that says what the model has to send instead.
  [[nodiscard]] static tl::expected<ToolArguments, std::string> parse(std::string_view arguments,
                                                                      std::string_view schema);

  /// Null where there is no such argument, or where it is JSON's null.
  [[nodiscard]] const Json* find(std::string_view name) const { return find_field(json_, name); }

  /// JSON's null where there is no such argument.
  [[nodiscard]] Json value(std::string_view name) const {
    const auto* found = find(name);
    return found ? *found : Json();
  }

  /// Empty where there is none.
  [[nodiscard]] std::string text(std::string_view name) const;

  /// A number that is less than none counts as none: nullopt is for one that is not there.
  [[nodiscard]] std::optional<std::size_t> number(std::string_view name) const;

 private:
  explicit ToolArguments(Json json) : json_(std::move(json)) {}

  Json json_;
};

}  // namespace ctxmgr::session
