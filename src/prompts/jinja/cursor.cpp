#include "prompts/jinja/cursor.hpp"

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {

bool is_iterable(const Value& value) {
  return value.is(Tag::iterator) || (!value.is(Tag::loop) && find_length(value).has_value());
}

Cursor::Cursor(Value source) : source_(source) {
  if (source_.is_strict_undefined()) refuse_undefined(source_);
  if (!is_iterable(source_)) refuse(std::string(type_name(source_)) + " cannot be iterated");
  if (source_.is(Tag::dict) || source_.is(Tag::view)) expected_size_ = length_of(source_);
}

bool Cursor::next_character(Heap& heap, Value& item) {
  const std::string& text = source_.text();
  if (position_ >= text.size()) return false;
  const std::size_t length = sequence_length(text[position_]);
  item = make_string(heap, text.substr(position_, length));
  position_ += length;
  return true;
}

bool Cursor::next_entry(DictObject& dict, ViewKind kind, Heap& heap, Value& item) {
  if (dict.size() != expected_size_) refuse("a dict changed its size while it was iterated");
  if (position_ >= dict.size()) return false;
  const auto& entry = dict.entries[position_++];
  switch (kind) {
    case ViewKind::keys: item = entry.key; break;
    case ViewKind::values: item = entry.value; break;
    case ViewKind::items: item = make_tuple(heap, {entry.key, entry.value}); break;
  }
  return true;
}

bool Cursor::next(Heap& heap, Value& item) {
  heap.step();
  switch (source_.tag()) {
    case Tag::list:
    case Tag::tuple: {
      const auto& items = source_.sequence().items;
      if (position_ >= items.size()) return false;
      item = items[position_++];
      return true;
    }
    case Tag::string: return next_character(heap, item);
    case Tag::dict: return next_entry(source_.dict(), ViewKind::keys, heap, item);
    case Tag::view: return next_entry(source_.as<ViewObject>().dict.dict(), source_.as<ViewObject>().kind, heap, item);
    case Tag::range:
      if (position_ >= source_.as<RangeObject>().length) return false;
      item = Value::integer(source_.as<RangeObject>().at(position_++));
      return true;
    case Tag::iterator:
      if (source_.as<IteratorObject>().next(item)) return true;
      item = Value();  // A filter has put there what it rejected.
      return false;
    default: return false;
  }
}

std::vector<Value> collect(Heap& heap, const Value& value) {
  Cursor cursor(value);
  heap.check_room(find_length(value).value_or(0) * sizeof(Value));
  std::vector<Value> items;
  Value item;
  while (cursor.next(heap, item)) {
    items.push_back(item);
    if (items.size() % 1024 == 0) heap.check_room(items.size() * sizeof(Value));
  }
  return items;
}

}  // namespace ctxmgr::jinja
