#pragma once
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

/// Goes through what Python's iter() takes: characters, items, keys.
class Cursor {
 public:
  /// Refuses what cannot be iterated.
  explicit Cursor(Value source);
  Cursor() : source_(Value::none()) {}

  /// Each item costs a step. At the end `item` holds nothing new: what was there before, or nothing.
  [[nodiscard]] bool next(Heap& heap, Value& item);

 private:
  bool next_character(Heap& heap, Value& item);
  bool next_entry(DictObject& dict, ViewKind kind, Heap& heap, Value& item);

  Value source_;
  std::size_t position_ = 0;
  std::size_t expected_size_ = 0;
};

[[nodiscard]] bool is_iterable(const Value& value);
/// list(value)
[[nodiscard]] std::vector<Value> collect(Heap& heap, const Value& value);

}  // namespace ctxmgr::jinja
