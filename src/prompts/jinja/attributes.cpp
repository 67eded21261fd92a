#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

bool is_private(std::string_view name) { return name.substr(0, 2) == "__"; }

// What getattr() finds, or missing.
Value own_attribute(Renderer& renderer, const Value& object, std::string_view name) {
  if (is_private(name)) refuse("'" + std::string(name) + "' is not accessible");
  if (const FunctionSpec* method = find_method(object, name)) {
    return Value::of(renderer.heap().make<FunctionObject>(*method, object));
  }
  if (is_unsupported_attribute(object, name)) refuse("'" + std::string(name) + "' is not supported");
  switch (object.tag()) {
    case Tag::loop: {
      if (name.substr(0, 1) == "_") refuse("'" + std::string(name) + "' is not accessible");
      return object.as<LoopObject>().attribute(name, renderer.strict());
    }
    case Tag::space: {
      const Value* found = object.as<NamespaceObject>().attributes.dict().find(name);
      return found != nullptr ? *found : Value();
    }
    default: return {};
  }
}

std::int64_t length(const Value& value) { return static_cast<std::int64_t>(length_of(value)); }

// object[index]; missing where Python would raise.
Value indexed(Heap& heap, const Value& object, std::int64_t index) {
  const std::int64_t count = length(object);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return {};
  const auto position = static_cast<std::size_t>(index);
  if (object.is_sequence()) return object.sequence().items[position];
  if (object.is(Tag::range)) return Value::integer(object.as<RangeObject>().at(position));
  const std::string& text = object.text();
  const std::size_t start = object.string().is_ascii() ? position : byte_offset(text, position);
  heap.step_text(start);
  return make_string(heap, text.substr(start, sequence_length(text[start])), object.string().markup);
}

// object[key], or missing.
Value subscripted(Heap& heap, const Value& object, const Value& key) {
  switch (object.tag()) {
    case Tag::dict: {
      if (key.is(Tag::undefined) && !key.is_strict_undefined()) return {};
      if (key.is(Tag::range) || key.tag() > Tag::view) refuse("a value of this type is not supported as a key");
      if (!find_hash(heap, key)) return {};
      const Value* found = object.dict().find(key);
      return found != nullptr ? *found : Value();
    }
    case Tag::list:
    case Tag::tuple:
    case Tag::range:
    case Tag::string: return key.is_integral() ? indexed(heap, object, key.as_integer()) : Value();
    default: return {};
  }
}

}  // namespace

Value Renderer::attribute(const Value& object, StringObject& name) {
  if (object.is(Tag::undefined)) refuse_undefined(object);
  Value found = own_attribute(*this, object, name.text);
  if (found.is(Tag::missing) && object.is(Tag::dict)) {
    if (const Value* value = object.dict().find(name.text)) found = *value;
  }
  return found.is(Tag::missing) ? Value::undefined(settings_.strict, &name) : found;
}

Value Renderer::item(const Value& object, const Value& key) {
  if (object.is(Tag::undefined)) refuse_undefined(object);
  Value found = subscripted(heap_, object, key);
  if (found.is(Tag::missing) && key.is(Tag::string)) found = own_attribute(*this, object, key.text());
  return found.is(Tag::missing) ? undefined() : found;
}

// Slices --------------------------------------------------------------------------------------------------------------

namespace {

std::int64_t clamp_bound(const Value& bound, std::int64_t otherwise, std::int64_t low, std::int64_t high,
                         std::int64_t length) {
  if (bound.is(Tag::none)) return otherwise;
  std::int64_t value = need_integer(bound);
  if (value < 0) value = value < -length ? low : value + length;
  return std::min(std::max(value, low), high);
}

/// The positions that a slice takes.
RangeObject slice_range(std::int64_t length, const Value& start, const Value& stop, const Value& step) {
  const std::int64_t by = step.is(Tag::none) ? 1 : need_integer(step);
  if (by == 0) refuse("the step of a slice cannot be zero");
  const std::int64_t low = by > 0 ? 0 : -1;
  const std::int64_t high = by > 0 ? length : length - 1;
  const std::int64_t first = clamp_bound(start, by > 0 ? low : high, low, high, length);
  const std::int64_t last = clamp_bound(stop, by > 0 ? high : low, low, high, length);
  return RangeObject(first, last, by);
}

Value slice_text(Heap& heap, const Value& value, const RangeObject& range) {
  const std::string& text = value.text();
  heap.step_text(text.size());
  std::string result;
  if (range.length > 0 && range.step == 1) {
    const auto first = static_cast<std::size_t>(range.start);
    const bool ascii = value.string().is_ascii();
    const std::string_view rest = std::string_view(text).substr(ascii ? first : byte_offset(text, first));
    result = rest.substr(0, ascii ? range.length : byte_offset(rest, range.length));
  } else if (range.length > 0) {
    const auto points = decode_all(text);
    for (std::size_t i = 0; i < range.length; ++i) {
      utf8::append(result, points[static_cast<std::size_t>(range.at(i))]);
    }
  }
  return make_string(heap, std::move(result), value.string().markup);
}

}  // namespace

Value slice(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step) {
  if (value.is(Tag::undefined)) refuse_undefined(value);
  if (value.is(Tag::range)) refuse("slices of ranges are not supported");
  if (!value.is(Tag::string) && !value.is_sequence()) {
    refuse(std::string(type_name(value)) + " cannot be sliced");
  }
  const RangeObject range = slice_range(length(value), start, stop, step);
  if (value.is(Tag::string)) return slice_text(heap, value, range);
  heap.step(range.length);
  std::vector<Value> items;
  items.reserve(range.length);
  for (std::size_t i = 0; i < range.length; ++i) {
    items.push_back(value.sequence().items[static_cast<std::size_t>(range.at(i))]);
  }
  return make_sequence(heap, value.tag(), std::move(items));
}

}  // namespace ctxmgr::jinja
