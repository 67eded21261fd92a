
#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/filter_support.hpp"
#include "prompts/jinja/operators.hpp"

namespace ctxmgr::jinja {
namespace {

/// A generator that starts on first use: what it goes through is looked at no earlier.
struct Pending {
  Value source;
  Cursor cursor{};
  bool started = false;

  bool next(Renderer& renderer, Value& item) {
    if (!started) {
      started = true;
      cursor = is_true(source) ? Cursor(source) : Cursor(make_list(renderer.heap(), {}));
    }
    return cursor.next(renderer.heap(), item);
  }
};

/// The arguments of a call that is made for each item, behind those that say which.
Arguments without_first(Arguments arguments, std::size_t count) {
  auto& positional = arguments.positional;
  positional.erase(positional.begin(), positional.begin() + static_cast<std::ptrdiff_t>(count));
  return arguments;
}

Value call_for(Renderer& renderer, const FunctionSpec& function, Arguments arguments, const Value& item) {
  renderer.heap().step((arguments.positional.size() + arguments.keywords.size()) / 8);
  arguments.positional.insert(arguments.positional.begin(), item);
  return renderer.apply(function, arguments);
}

void check_value(const Arguments& arguments) {
  if (arguments.positional.empty()) refuse("a filter lacks its value");
}

Value map_attribute(Renderer& renderer, Arguments& arguments) {
  bind("map", {"value attribute default", 1}, arguments);
  if (given(arguments, 1) == nullptr) refuse("map() needs the name of a filter or an attribute");
  const AttributePath path(renderer, arguments.positional[1], arguments.positional[2]);
  return make_iterator(renderer.heap(),
                       [&renderer, path, pending = Pending{arguments.positional[0]}](Value& item) mutable {
                         if (!pending.next(renderer, item)) return false;
                         item = path.get(renderer, item);
                         return true;
                       });
}

Value map_filter(Renderer& renderer, Arguments& arguments) {
  check_value(arguments);
  if (arguments.positional.size() == 1) return map_attribute(renderer, arguments);
  const FunctionSpec& filter = need_function(FunctionKind::filter, need_text(arguments.positional[1]));
  const Arguments call = without_first(arguments, 2);
  return make_iterator(renderer.heap(),
                       [&renderer, &filter, call, pending = Pending{arguments.positional[0]}](Value& item) mutable {
                         if (!pending.next(renderer, item)) return false;
                         item = call_for(renderer, filter, call, item);
                         return true;
                       });
}

template <bool by_attribute, bool keep>
Value select_filter(Renderer& renderer, Arguments& arguments) {
  check_value(arguments);
  constexpr std::size_t offset = by_attribute ? 2 : 1;
  if (arguments.positional.size() < offset) refuse("an attribute is needed");
  const AttributePath path(renderer, by_attribute ? arguments.positional[1] : Value::none());
  const FunctionSpec* test = nullptr;
  if (arguments.positional.size() > offset) {
    test = &need_function(FunctionKind::test, need_text(arguments.positional[offset]));
  }
  const Arguments call = without_first(arguments, std::min(arguments.positional.size(), offset + 1));
  Pending pending{arguments.positional[0]};
  return make_iterator(renderer.heap(), [&renderer, path, test, call, pending](Value& item) mutable {
    while (pending.next(renderer, item)) {
      const Value subject = path.get(renderer, item);
      if (is_true(test != nullptr ? call_for(renderer, *test, call, subject) : subject) == keep) return true;
    }
    return false;
  });
}

constexpr FunctionSpec selection_table[] = {
    {"map", {"*"}, map_filter, Cost::texts},
    {"select", {"*"}, select_filter<false, true>, Cost::texts},
    {"reject", {"*"}, select_filter<false, false>, Cost::texts},
    {"selectattr", {"*"}, select_filter<true, true>, Cost::texts},
    {"rejectattr", {"*"}, select_filter<true, false>, Cost::texts},
};

}  // namespace

FunctionTable selection_filters() { return selection_table; }

}  // namespace ctxmgr::jinja
