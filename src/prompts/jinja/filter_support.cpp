#include "prompts/jinja/filter_support.hpp"

#include <algorithm>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/string_tools.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
Value soft_text(Renderer& renderer, const Value& value) {
  return value.is(Tag::string) ? value : renderer.text(to_str(renderer.heap(), value));
}

AttributePath::AttributePath(Renderer& renderer, const Value& attribute, Value fallback) : fallback_(fallback) {
  if (attribute.is(Tag::none) || attribute.is(Tag::missing)) return;
  if (!attribute.is(Tag::string)) {
    parts_.push_back(attribute);
    return;
  }
  for (const std::string_view part : split(renderer.heap(), attribute.text(), ".", -1)) {
    const bool digits = !part.empty() && part.size() < 18 &&
                        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    parts_.push_back(digits ? Value::integer(std::stoll(std::string(part))) : renderer.text(std::string(part)));
  }
}

Value AttributePath::get(Renderer& renderer, Value item) const {
  renderer.heap().step(parts_.size());
  for (const Value& part : parts_) {
    item = renderer.item(item, part);
    const bool has_fallback = !fallback_.is(Tag::missing) && !fallback_.is(Tag::none);
    if (has_fallback && item.is(Tag::undefined)) item = fallback_;
  }
  return item;
}

Value fold_case(Renderer& renderer, const Value& value, bool case_sensitive) {
  if (case_sensitive || !value.is(Tag::string)) return value;
  return renderer.text(to_lower(value.text()));
}

}  // namespace ctxmgr::jinja
