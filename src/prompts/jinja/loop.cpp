#include "prompts/jinja/loop.hpp"

#include "prompts/jinja/operators.hpp"

namespace ctxmgr::jinja {

LoopObject::LoopObject(Value iterable) : Object(Tag::loop), source(iterable), cursor(source) {}

bool LoopObject::take(Value& item) {
  if (!has_rest) return cursor.next(*heap, item);
  if (rest_position >= rest.size()) return false;
  item = rest[rest_position++];
  return true;
}

bool LoopObject::advance(Value& item) {
  if (!after.is(Tag::missing)) {
    item = std::exchange(after, Value());
  } else if (!take(item)) {
    return false;
  }
  ++index0;
  before = current;
  current = item;
  return true;
}

bool LoopObject::is_last() {
  if (after.is(Tag::missing) && !take(after)) return true;
  return false;
}

std::size_t LoopObject::length() {
  if (known_length < 0) {
    if (const auto size = find_length(source)) {
      known_length = static_cast<std::int64_t>(*size);
    } else {
      Value item;
      while (take(item)) {
        heap->charge(sizeof(Value));
        rest.push_back(item);
      }
      has_rest = true;
      known_length = static_cast<std::int64_t>(rest.size()) + index0 + 1 + (after.is(Tag::missing) ? 0 : 1);
    }
  }
  return static_cast<std::size_t>(known_length);
}

Value LoopObject::attribute(std::string_view name, bool strict) {
  const auto total = [this] { return static_cast<std::int64_t>(length()); };
  if (name == "index") return Value::integer(index0 + 1);
  if (name == "index0") return Value::integer(index0);
  if (name == "first") return Value::boolean(index0 == 0);
  if (name == "last") return Value::boolean(is_last());
  if (name == "length") return Value::integer(total());
  if (name == "revindex") return Value::integer(total() - index0);
  if (name == "revindex0") return Value::integer(total() - index0 - 1);
  if (name == "depth") return Value::integer(1);
  if (name == "depth0") return Value::integer(0);
  if (name == "previtem") return index0 == 0 || before.is(Tag::missing) ? Value::undefined(strict) : before;
  if (name == "nextitem") return is_last() ? Value::undefined(strict) : after;
  return Value();
}

std::size_t loop_length(const Value& loop) { return loop.as<LoopObject>().length(); }

}  // namespace ctxmgr::jinja
