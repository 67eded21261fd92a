#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prompts/jinja/heap.hpp"

namespace ctxmgr::jinja {

/// `missing` is a variable that has no value yet, or an argument that was not passed; expressions never see it.
enum class Tag : std::uint8_t {
  missing,
  undefined,
  none,
  boolean,
  integer,
  floating,
  string,
  list,
  tuple,
  dict,
  view,
  range,
  iterator,
  macro,
  function,
  space,
  loop,
};

struct StringObject;
struct SequenceObject;
struct DictObject;

/// One value of a template, with Python's meaning. Small ones are held in place, the rest by reference.
class Value {
 public:
  Value() = default;

  [[nodiscard]] static Value none() { return Value(Tag::none); }
  [[nodiscard]] static Value boolean(bool value) {
    Value result(Tag::boolean);
    result.payload_.integer = value ? 1 : 0;
    return result;
  }
  [[nodiscard]] static Value integer(std::int64_t value) {
    Value result(Tag::integer);
    result.payload_.integer = value;
    return result;
  }
  [[nodiscard]] static Value size(std::size_t value) { return integer(static_cast<std::int64_t>(value)); }
  [[nodiscard]] static Value floating(double value) {
    Value result(Tag::floating);
    result.payload_.floating = value;
    return result;
  }
  /// `name` may be null: what is undefined has no name in the template then.
  /// A strict one makes an error of nearly every use; the flag stays with the value.
  [[nodiscard]] static Value undefined(bool strict, Object* name = nullptr) {
    Value result(Tag::undefined);
    result.strict_ = strict;
    result.payload_.object = name;
    return result;
  }
  [[nodiscard]] static Value of(Object* object) {
    Value result(object->tag);
    result.payload_.object = object;
    return result;
  }

  [[nodiscard]] Tag tag() const { return tag_; }
  [[nodiscard]] bool is(Tag tag) const { return tag_ == tag; }
  /// bool is an int, as in Python.
  [[nodiscard]] bool is_integral() const { return tag_ == Tag::integer || tag_ == Tag::boolean; }
  [[nodiscard]] bool is_number() const { return is_integral() || tag_ == Tag::floating; }
  [[nodiscard]] bool is_strict_undefined() const { return tag_ == Tag::undefined && strict_; }
  [[nodiscard]] bool is_sequence() const { return tag_ == Tag::list || tag_ == Tag::tuple; }
  [[nodiscard]] std::int64_t as_integer() const { return payload_.integer; }
  [[nodiscard]] double as_double() const {
    return tag_ == Tag::floating ? payload_.floating : static_cast<double>(payload_.integer);
  }
  [[nodiscard]] Object* object() const { return payload_.object; }
  [[nodiscard]] StringObject& string() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] SequenceObject& sequence() const;
  [[nodiscard]] DictObject& dict() const;
  template <class T>
  [[nodiscard]] T& as() const {
    return static_cast<T&>(*payload_.object);
  }

 private:
  explicit Value(Tag tag) : tag_(tag) {}
  union Payload {
    std::int64_t integer;
    double floating;
    Object* object;
  };
  Tag tag_ = Tag::missing;
  bool strict_ = false;
  Payload payload_{0};
};

/// UTF-8, always valid.
struct StringObject final : Object {
  explicit StringObject(std::string value, bool is_markup = false);
  std::size_t code_points() const;
  bool is_ascii() const { return code_points() == text.size(); }

  std::string text;
  bool markup;  ///< Escaped already: what jinja2 holds as Markup.

 private:
  mutable std::size_t code_points_;
};

/// A list or a tuple.
struct SequenceObject final : Object {
  SequenceObject(Tag which, std::vector<Value> values) : Object(which), items(std::move(values)) {}

  std::vector<Value> items;
};

/// Insertion-ordered, keyed as Python's dict is: 1, 1.0 and True are one key.
struct DictObject final : Object {
  struct Entry {
    Value key;
    Value value;
    std::size_t hash = 0;
  };
  DictObject() : Object(Tag::dict) {}

  [[nodiscard]] Value* find(const Value& key);
  [[nodiscard]] Value* find(std::string_view key);
  void set(const Value& key, Value value);
  [[nodiscard]] std::size_t size() const { return entries.size(); }

  std::vector<Entry> entries;

 private:
  template <class Equal>
  Value* locate(std::size_t hash, const Equal& equal);
  void rebuild_index(std::size_t capacity);
  void index_entry(std::size_t position);
  std::vector<std::uint32_t> index_;  ///< Open addressing, position + 1; empty while the dict is small.
};

enum class ViewKind : std::uint8_t { keys, values, items };

struct ViewObject final : Object {
  ViewObject(ViewKind which, Value of) : Object(Tag::view), kind(which), dict(of) {}

  ViewKind kind;
  Value dict;
};

struct RangeObject final : Object {
  RangeObject(std::int64_t from, std::int64_t to, std::int64_t by);
  [[nodiscard]] std::int64_t at(std::size_t position) const;

  std::int64_t start, stop, step;
  std::size_t length;
};

/// What Python calls an iterator or a generator: gives each item once.
struct IteratorObject final : Object {
  explicit IteratorObject(std::function<bool(Value&)> next_item) : Object(Tag::iterator), next(std::move(next_item)) {}

  std::function<bool(Value&)> next;
};

struct NamespaceObject final : Object {
  explicit NamespaceObject(Value dict) : Object(Tag::space), attributes(dict) {}

  Value attributes;
};

inline StringObject& Value::string() const { return static_cast<StringObject&>(*payload_.object); }
inline const std::string& Value::text() const { return string().text; }
inline SequenceObject& Value::sequence() const { return static_cast<SequenceObject&>(*payload_.object); }
inline DictObject& Value::dict() const { return static_cast<DictObject&>(*payload_.object); }

[[nodiscard]] Value make_string(Heap& heap, std::string text, bool markup = false);
/// A list or a tuple.
[[nodiscard]] Value make_sequence(Heap& heap, Tag tag, std::vector<Value> items);
[[nodiscard]] Value make_list(Heap& heap, std::vector<Value> items);
[[nodiscard]] Value make_tuple(Heap& heap, std::vector<Value> items);
[[nodiscard]] Value make_dict(Heap& heap);
/// `next` gives the next item, or false.
[[nodiscard]] Value make_iterator(Heap& heap, std::function<bool(Value&)> next);
void append(SequenceObject& list, Value item);

/// A hash for dict keys; nothing for what Python cannot hash.
[[nodiscard]] std::optional<std::size_t> find_hash(Heap& heap, const Value& key);

}  // namespace ctxmgr::jinja
