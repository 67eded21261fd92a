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

bool is_hashable(Heap& heap, const Value& value) {
  if (value.is(Tag::tuple)) {
    Nesting nesting(heap);
    heap.step(value.sequence().items.size());
    for (const Value& item : value.sequence().items) {
      if (!is_hashable(heap, item)) return false;
    }
    return true;
  }
  return value.is(Tag::string) || value.is_number() || value.is(Tag::none);
}

// object[key], or missing.
Value subscripted(Heap& heap, const Value& object, const Value& key) {
  switch (object.tag()) {
    case Tag::dict: {
      if (key.is(Tag::undefined) && !key.is_strict_undefined()) return {};
      if (key.is(Tag::range) || key.tag() > Tag::view) refuse("a value of this type is not supported as a key");
      if (!is_hashable(heap, key)) return {};
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

struct Bounds {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::size_t count = 0;
};

std::int64_t clamp_bound(const Value& bound, std::int64_t otherwise, std::int64_t low, std::int64_t high,
                         std::int64_t length) {
  if (bound.is(Tag::none)) return otherwise;
  std::int64_t value = need_integer(bound);
  if (value < 0) value = value < -length ? low : value + length;
  return std::min(std::max(value, low), high);
}

Bounds slice_bounds(std::int64_t length, const Value& start, const Value& stop, const Value& step) {
  Bounds bounds;
  bounds.step = step.is(Tag::none) ? 1 : need_integer(step);
  if (bounds.step == 0) refuse("the step of a slice cannot be zero");
  const bool forward = bounds.step > 0;
  const std::int64_t low = forward ? 0 : -1;
  const std::int64_t high = forward ? length : length - 1;
  bounds.start = clamp_bound(start, forward ? low : high, low, high, length);
  const std::int64_t end = clamp_bound(stop, forward ? high : low, low, high, length);
  const RangeObject positions(bounds.start, end, bounds.step);
  bounds.count = positions.length;
  return bounds;
}

Value slice_text(Heap& heap, const Value& value, const Bounds& bounds) {
  const std::string& text = value.text();
  heap.step_text(text.size());
  std::string result;
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(bounds.start + static_cast<std::int64_t>(i) * bounds.step);
  };
  if (bounds.count == 0) return make_string(heap, std::move(result), value.string().markup);
  if (bounds.step == 1) {
    const bool ascii = value.string().is_ascii();
    const std::size_t first = ascii ? at(0) : byte_offset(text, at(0));
    const std::string_view rest = std::string_view(text).substr(first);
    result = rest.substr(0, ascii ? bounds.count : byte_offset(rest, bounds.count));
  } else {
    const auto points = decode_all(text);
    for (std::size_t i = 0; i < bounds.count; ++i) utf8::append(result, points[at(i)]);
  }
  return make_string(heap, std::move(result), value.string().markup);
}

}  // namespace

Value slice(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step) {
  if (value.is(Tag::undefined)) refuse_undefined(value);
  const bool sliceable = value.is(Tag::string) || value.is_sequence() || value.is(Tag::range);
  if (!sliceable) refuse(std::string(type_name(value)) + " cannot be sliced");
  if (value.is(Tag::range)) refuse("slices of ranges are not supported");
  const Bounds bounds = slice_bounds(length(value), start, stop, step);
  if (value.is(Tag::string)) return slice_text(heap, value, bounds);
  heap.step(bounds.count);
  std::vector<Value> items;
  items.reserve(bounds.count);
  for (std::size_t i = 0; i < bounds.count; ++i) {
    const std::int64_t position = bounds.start + static_cast<std::int64_t>(i) * bounds.step;
    items.push_back(value.sequence().items[static_cast<std::size_t>(position)]);
  }
  return value.is(Tag::list) ? make_list(heap, std::move(items)) : make_tuple(heap, std::move(items));
}

}  // namespace ctxmgr::jinja
