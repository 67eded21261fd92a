#include "prompts/jinja/operators.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/string_tools.hpp"

namespace ctxmgr::jinja {
namespace {

bool same_object(const Value& left, const Value& right) {
  return left.tag() == right.tag() && left.tag() >= Tag::string && left.object() == right.object();
}

// Exact between 64-bit integers and doubles, as in Python.
long double wide(const Value& number) {
  return number.is_integral() ? static_cast<long double>(number.as_integer())
                              : static_cast<long double>(number.as_double());
}

bool numbers_equal(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) return left.as_integer() == right.as_integer();
  return wide(left) == wide(right);
}

int compare_numbers(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return left.as_integer() < right.as_integer() ? -1 : left.as_integer() > right.as_integer() ? 1 : 0;
  }
  return wide(left) < wide(right) ? -1 : wide(left) > wide(right) ? 1 : 0;
}

bool is_nan(const Value& value) { return value.is(Tag::floating) && std::isnan(value.as_double()); }

/// As far as both are equal is paid for.
int compare_texts(Heap& heap, const std::string& left, const std::string& right) {
  const std::size_t common = std::min(left.size(), right.size());
  constexpr std::size_t block = 4096;
  std::size_t at = 0;
  while (at < common && std::memcmp(left.data() + at, right.data() + at, std::min(block, common - at)) == 0)
    at += block;
  at = std::min(at, common);
  heap.step(at / 64);
  return std::string_view(left).substr(at).compare(std::string_view(right).substr(at));
}

bool items_equal(Heap& heap, const SequenceObject& left, const SequenceObject& right) {
  if (left.items.size() != right.items.size()) return false;
  Nesting nesting(heap);
  heap.step(1 + left.items.size());
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (!same_object(left.items[i], right.items[i]) && !equals(heap, left.items[i], right.items[i])) return false;
  }
  return true;
}

bool dicts_equal(Heap& heap, DictObject& left, DictObject& right) {
  if (left.size() != right.size()) return false;
  Nesting nesting(heap);
  heap.step(1 + left.size());
  for (const auto& entry : left.entries) {
    const Value* other = right.find(entry.key);
    if (other == nullptr || !equals(heap, entry.value, *other)) return false;
  }
  return true;
}

bool ranges_equal(const RangeObject& left, const RangeObject& right) {
  if (left.length != right.length) return false;
  if (left.length == 0) return true;
  return left.start == right.start && (left.length == 1 || left.step == right.step);
}

int compare_sequences(Heap& heap, const SequenceObject& left, const SequenceObject& right) {
  Nesting nesting(heap);
  const std::size_t common = std::min(left.items.size(), right.items.size());
  heap.step(1 + common);
  for (std::size_t i = 0; i < common; ++i) {
    if (equals(heap, left.items[i], right.items[i])) continue;
    return less(heap, left.items[i], right.items[i]) ? -1 : 1;
  }
  return left.items.size() < right.items.size() ? -1 : left.items.size() > right.items.size() ? 1 : 0;
}

int three_way(Heap& heap, const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return compare_numbers(left, right);
  if (left.is(Tag::string) && right.is(Tag::string)) return compare_texts(heap, left.text(), right.text());
  if (left.is_sequence() && left.tag() == right.tag())
    return compare_sequences(heap, left.sequence(), right.sequence());
  refuse_operands("compare", left, right);
}

bool contains(Heap& heap, const Value& container, const Value& item) {
  switch (container.tag()) {
    case Tag::string:
      if (!item.is(Tag::string)) refuse_operands("search", item, container);
      heap.step_text(container.text().size() + item.text().size());
      return TextSearch(heap, item.text()).find(container.text()) != std::string::npos;
    case Tag::dict: return container.dict().find(item) != nullptr;
    case Tag::list:
    case Tag::tuple:
    case Tag::view:
    case Tag::range:
    case Tag::iterator:
    case Tag::undefined: {
      Cursor cursor(container);
      Value candidate;
      while (cursor.next(heap, candidate)) {
        if (same_object(candidate, item) || equals(heap, candidate, item)) return true;
      }
      return false;
    }
    default: refuse(std::string(type_name(container)) + " cannot be searched");
  }
}

}  // namespace

std::string_view type_name(const Value& value) {
  static constexpr std::string_view names[] = {"nothing",  "undefined", "NoneType", "bool",      "int",  "float",
                                               "str",      "list",      "tuple",    "dict",      "view", "range",
                                               "iterator", "macro",     "function", "namespace", "loop"};
  return names[static_cast<std::size_t>(value.tag())];
}

void refuse_undefined(const Value& value) {
  if (value.object() == nullptr) refuse("an undefined value is used");
  refuse("'" + value.text() + "' is undefined");
}

void refuse_operands(std::string_view what, const Value& left, const Value& right) {
  if (left.is(Tag::undefined)) refuse_undefined(left);
  if (right.is(Tag::undefined)) refuse_undefined(right);
  refuse(std::string("cannot ") + std::string(what) + " " + std::string(type_name(left)) + " and " +
         std::string(type_name(right)));
}

bool is_true(const Value& value) {
  switch (value.tag()) {
    case Tag::missing:
    case Tag::none: return false;
    case Tag::undefined:
      if (value.is_strict_undefined()) refuse_undefined(value);
      return false;
    case Tag::boolean:
    case Tag::integer: return value.as_integer() != 0;
    case Tag::floating: return value.as_double() != 0.0;
    default: return find_length(value).value_or(1) != 0;
  }
}

bool equals(Heap& heap, const Value& left, const Value& right) {
  if (left.is_strict_undefined()) refuse_undefined(left);
  if (right.is_strict_undefined()) refuse_undefined(right);
  if (left.is_number() && right.is_number()) return numbers_equal(left, right);
  if (left.tag() != right.tag()) return false;
  switch (left.tag()) {
    case Tag::string:
      return left.text().size() == right.text().size() && compare_texts(heap, left.text(), right.text()) == 0;
    case Tag::list:
    case Tag::tuple: return items_equal(heap, left.sequence(), right.sequence());
    case Tag::dict: return same_object(left, right) || dicts_equal(heap, left.dict(), right.dict());
    case Tag::range: return ranges_equal(left.as<RangeObject>(), right.as<RangeObject>());
    case Tag::undefined:
    case Tag::none:
    case Tag::missing: return true;
    case Tag::view:
    case Tag::function: refuse("comparing these values is not supported");
    default: return same_object(left, right);
  }
}

bool less(Heap& heap, const Value& left, const Value& right) {
  if (is_nan(left) || is_nan(right)) refuse("NaN cannot be ordered");
  return three_way(heap, left, right) < 0;
}

bool compare(Heap& heap, Operator operation, const Value& left, const Value& right) {
  switch (operation) {
    case Operator::equal: return equals(heap, left, right);
    case Operator::not_equal: return !equals(heap, left, right);
    case Operator::in: return contains(heap, right, left);
    case Operator::not_in: return !contains(heap, right, left);
    default: break;
  }
  if (left.is_number() && right.is_number() && (is_nan(left) || is_nan(right))) return false;
  const int order = three_way(heap, left, right);
  switch (operation) {
    case Operator::less: return order < 0;
    case Operator::less_equal: return order <= 0;
    case Operator::greater: return order > 0;
    default: return order >= 0;
  }
}

std::optional<std::size_t> find_length(const Value& value) {
  switch (value.tag()) {
    case Tag::string: return value.string().code_points();
    case Tag::list:
    case Tag::tuple: return value.sequence().items.size();
    case Tag::dict: return value.dict().size();
    case Tag::view: return value.as<ViewObject>().dict.dict().size();
    case Tag::range: return value.as<RangeObject>().length;
    case Tag::undefined:
      if (value.is_strict_undefined()) refuse_undefined(value);
      return 0;
    case Tag::loop: return loop_length(value);
    default: return std::nullopt;
  }
}

std::size_t length_of(const Value& value) {
  const auto length = find_length(value);
  if (!length) refuse(std::string(type_name(value)) + " has no length");
  return *length;
}

}  // namespace ctxmgr::jinja
