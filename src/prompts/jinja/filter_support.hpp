#pragma once
#include <string>
#include <vector>

#include "prompts/jinja/renderer.hpp"

/// \file
/// What several filters share.
namespace ctxmgr::jinja {

/// jinja2's soft_str: a text as it is, anything else by str().
[[nodiscard]] Value soft_text(Renderer& renderer, const Value& value);

/// jinja2's make_attrgetter: the path "a.b.0" from an item; `fallback` (or missing) stands in for what is undefined.
class AttributePath {
 public:
  AttributePath(Renderer& renderer, const Value& attribute, Value fallback = {});
  [[nodiscard]] Value get(Renderer& renderer, Value item) const;

 private:
  std::vector<Value> parts_{};
  Value fallback_;
};

/// Lower case, unless the filter is case-sensitive or the value is no text.
[[nodiscard]] Value fold_case(Renderer& renderer, const Value& value, bool case_sensitive);

}  // namespace ctxmgr::jinja
