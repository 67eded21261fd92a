#include <algorithm>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/filter_support.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/string_tools.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

Value default_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  const bool replace = value.is(Tag::undefined) || (boolean_or(arguments, 2, false) && !is_true(value));
  if (!replace) return value;
  return given(arguments, 1) != nullptr ? arguments.positional[1] : renderer.text("");
}

Value length_filter(Renderer&, Arguments& arguments) { return Value::size(length_of(arguments.positional[0])); }

Value first_filter(Renderer& renderer, Arguments& arguments) {
  Cursor cursor(arguments.positional[0]);
  Value item;
  return cursor.next(renderer.heap(), item) ? item : renderer.undefined();
}

Value last_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::iterator)) refuse("an iterator cannot be reversed");
  if (value.is(Tag::undefined)) {
    if (value.is_strict_undefined()) refuse_undefined(value);
    return renderer.undefined();
  }
  if (value.is(Tag::dict) || value.is(Tag::view)) {
    const auto items = collect(renderer.heap(), value);
    return items.empty() ? renderer.undefined() : items.back();
  }
  if (!is_iterable(value)) refuse(std::string(type_name(value)) + " cannot be iterated");
  return length_of(value) == 0 ? renderer.undefined() : renderer.item(value, Value::integer(-1));
}

Value list_filter(Renderer& renderer, Arguments& arguments) {
  return make_list(renderer.heap(), collect(renderer.heap(), arguments.positional[0]));
}

Value iterator_of(Renderer& renderer, const Value& source) {
  return make_iterator(renderer.heap(), [&renderer, cursor = Cursor(source)](Value& item) mutable {
    return cursor.next(renderer.heap(), item);
  });
}

Value items_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::undefined)) return iterator_of(renderer, make_list(renderer.heap(), {}));
  if (!value.is(Tag::dict)) refuse("items are those of a mapping");
  return iterator_of(renderer, Value::of(renderer.heap().make<ViewObject>(ViewKind::items, value)));
}

Value reverse_text(Renderer& renderer, const Value& value) {
  std::string out;
  const auto points = decode_all(value.text());
  for (auto point = points.rbegin(); point != points.rend(); ++point) utf8::append(out, *point);
  return renderer.text(std::move(out), value.string().markup);
}

Value reverse_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::string)) return reverse_text(renderer, value);
  auto items = collect(renderer.heap(), value);
  std::reverse(items.begin(), items.end());
  Value list = make_list(renderer.heap(), std::move(items));
  if (value.is(Tag::iterator)) return list;
  // A dict or list that changes while it is gone through backwards is beyond what a prompt does: a copy will do.
  return iterator_of(renderer, list);
}

// Sorting in Python's order, stable.
struct Keyed {
  Value key;
  Value item;
};

void sort_keyed(Heap& heap, std::vector<Keyed>& items, bool reverse) {
  const auto before = [&heap](const Keyed& left, const Keyed& right) {
    heap.step();
    return less(heap, left.key, right.key);
  };
  // Python sorts backwards by reversing before and after, which keeps equal items in order.
  if (reverse) std::reverse(items.begin(), items.end());
  std::stable_sort(items.begin(), items.end(), before);
  if (reverse) std::reverse(items.begin(), items.end());
}

Value list_of_items(Renderer& renderer, std::vector<Keyed>& keyed) {
  std::vector<Value> items;
  for (const Keyed& entry : keyed) items.push_back(entry.item);
  return make_list(renderer.heap(), std::move(items));
}

Value sort_filter(Renderer& renderer, Arguments& arguments) {
  const bool case_sensitive = boolean_or(arguments, 2, false);
  const Value& attribute = arguments.positional[3];
  std::vector<AttributePath> paths;
  if (attribute.is(Tag::string)) {
    for (const std::string_view part : split(renderer.heap(), attribute.text(), ",", -1)) {
      paths.emplace_back(renderer, renderer.text(std::string(part)));
    }
  } else {
    paths.emplace_back(renderer, attribute);
  }
  std::vector<Keyed> keyed;
  for (const Value& item : collect(renderer.heap(), arguments.positional[0])) {
    std::vector<Value> keys;
    for (const AttributePath& path : paths) {
      keys.push_back(fold_case(renderer, path.get(renderer, item), case_sensitive));
    }
    keyed.push_back({make_tuple(renderer.heap(), std::move(keys)), item});
  }
  sort_keyed(renderer.heap(), keyed, boolean_or(arguments, 1, false));
  return list_of_items(renderer, keyed);
}

Value dictsort_filter(Renderer& renderer, Arguments& arguments) {
  const Value& value = arguments.positional[0];
  if (value.is(Tag::undefined)) refuse_undefined(value);
  if (!value.is(Tag::dict)) refuse("dictsort sorts a mapping");
  const bool case_sensitive = boolean_or(arguments, 1, false);
  const std::string by = given(arguments, 2) != nullptr ? need_text(arguments.positional[2]) : "key";
  if (by != "key" && by != "value") refuse("dictsort sorts by key or by value");
  std::vector<Keyed> keyed;
  for (const auto& entry : value.dict().entries) {
    keyed.push_back({fold_case(renderer, by == "key" ? entry.key : entry.value, case_sensitive),
                     make_tuple(renderer.heap(), {entry.key, entry.value})});
  }
  sort_keyed(renderer.heap(), keyed, boolean_or(arguments, 3, false));
  return list_of_items(renderer, keyed);
}

Value unique_filter(Renderer& renderer, Arguments& arguments) {
  const bool case_sensitive = boolean_or(arguments, 1, false);
  const AttributePath path(renderer, arguments.positional[2]);
  Value seen = make_dict(renderer.heap());
  Cursor cursor(arguments.positional[0]);
  return make_iterator(renderer.heap(), [&renderer, case_sensitive, path, seen, cursor](Value& item) mutable {
    while (cursor.next(renderer.heap(), item)) {
      const Value key = fold_case(renderer, path.get(renderer, item), case_sensitive);
      if (seen.dict().find(key) != nullptr) continue;
      seen.dict().set(key, Value::none());
      return true;
    }
    return false;
  });
}

template <bool maximum>
Value extreme_filter(Renderer& renderer, Arguments& arguments) {
  const bool case_sensitive = boolean_or(arguments, 1, false);
  const AttributePath path(renderer, arguments.positional[2]);
  Cursor cursor(arguments.positional[0]);
  Value best;
  if (!cursor.next(renderer.heap(), best)) return renderer.undefined();
  Value best_key = fold_case(renderer, path.get(renderer, best), case_sensitive);
  Value item;
  while (cursor.next(renderer.heap(), item)) {
    Value key = fold_case(renderer, path.get(renderer, item), case_sensitive);
    if (maximum ? less(renderer.heap(), best_key, key) : less(renderer.heap(), key, best_key)) {
      best = item;
      best_key = key;
    }
  }
  return best;
}

constexpr FunctionSpec sequence_table[] = {
    {"default", {"value default_value boolean", 1}, default_filter},
    {"d", {"value default_value boolean", 1}, default_filter},
    {"length", {"/obj", 1}, length_filter},
    {"count", {"/obj", 1}, length_filter},
    {"first", {"seq", 1}, first_filter},
    {"last", {"seq", 1}, last_filter},
    {"list", {"value", 1}, list_filter},
    {"items", {"value", 1}, items_filter},
    {"reverse", {"value", 1}, reverse_filter, Cost::texts},
    {"sort", {"value reverse case_sensitive attribute", 1}, sort_filter, Cost::texts},
    {"dictsort", {"value case_sensitive by reverse", 1}, dictsort_filter, Cost::texts},
    {"unique", {"value case_sensitive attribute", 1}, unique_filter, Cost::texts},
    {"min", {"value case_sensitive attribute", 1}, extreme_filter<false>, Cost::texts},
    {"max", {"value case_sensitive attribute", 1}, extreme_filter<true>, Cost::texts},
};

}  // namespace

FunctionTable sequence_filters() { return sequence_table; }

}  // namespace ctxmgr::jinja
