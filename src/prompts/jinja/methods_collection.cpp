#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {
namespace {

void check_mutable(const Renderer& renderer) {
  if (renderer.settings().chat) refuse("values cannot be changed in a chat template");
}

// Lists ---------------------------------------------------------------------------------------------------------------

Value list_append(Renderer& renderer, Arguments& arguments) {
  check_mutable(renderer);
  append(arguments.positional[0].sequence(), arguments.positional[1]);
  return Value::none();
}

constexpr FunctionSpec of_lists[] = {{"append", {"/self object", 2}, list_append}};

// Dicts ---------------------------------------------------------------------------------------------------------------

template <ViewKind kind>
Value dict_view(Renderer& renderer, Arguments& arguments) {
  return Value::of(renderer.heap().make<ViewObject>(kind, arguments.positional[0]));
}

Value dict_get(Renderer&, Arguments& arguments) {
  const Value* found = arguments.positional[0].dict().find(arguments.positional[1]);
  if (found == nullptr) found = given(arguments, 2);
  return found != nullptr ? *found : Value::none();
}

void merge(Renderer& renderer, DictObject& target, const Value& source) {
  if (source.is(Tag::dict)) {
    renderer.heap().step(source.dict().size());
    const auto entries = source.dict().entries;
    for (const auto& entry : entries) target.set(entry.key, entry.value);
    return;
  }
  for (const Value& pair : collect(renderer.heap(), source)) {
    const auto items = collect(renderer.heap(), pair);
    if (items.size() != 2) refuse("a dict is made of pairs");
    target.set(items[0], items[1]);
  }
}

/// From the arguments behind the first ones.
Value fill_dict(Renderer& renderer, Value dict, std::size_t first, Arguments& arguments) {
  if (arguments.positional.size() > first + 1) refuse("too many arguments for a dict");
  if (arguments.positional.size() > first) merge(renderer, dict.dict(), arguments.positional[first]);
  for (const auto& [name, value] : arguments.keywords) dict.dict().set(name, value);
  return dict;
}

Value dict_update(Renderer& renderer, Arguments& arguments) {
  check_mutable(renderer);
  (void)fill_dict(renderer, arguments.positional[0], 1, arguments);
  return Value::none();
}

constexpr FunctionSpec of_dicts[] = {
    {"get", {"/self key default", 2}, dict_get},
    {"items", {"/self", 1}, dict_view<ViewKind::items>},
    {"keys", {"/self", 1}, dict_view<ViewKind::keys>},
    {"values", {"/self", 1}, dict_view<ViewKind::values>},
    {"update", {"*"}, dict_update},
};

// Loops ---------------------------------------------------------------------------------------------------------------

Value cycle(Renderer&, Arguments& arguments) {
  if (!arguments.keywords.empty()) refuse("cycle() takes no named arguments");
  const std::size_t items = arguments.positional.size() - 1;
  if (items == 0) refuse("cycle() needs items");
  return arguments.positional[1 + static_cast<std::size_t>(arguments.positional[0].as<LoopObject>().index0) % items];
}

constexpr FunctionSpec of_loops[] = {{"cycle", {"*"}, cycle}};

// Global functions ----------------------------------------------------------------------------------------------------

constexpr std::size_t max_range = 100'000;

Value range_function(Renderer& renderer, Arguments& arguments) {
  const std::int64_t first = need_integer(arguments.positional[0]);
  const bool has_stop = given(arguments, 1) != nullptr;
  const std::int64_t stop = has_stop ? need_integer(arguments.positional[1]) : first;
  const std::int64_t step = integer_or(arguments, 2, 1);
  if (step == 0) refuse("the step of a range cannot be zero");
  auto* range = renderer.heap().make<RangeObject>(has_stop ? first : 0, stop, step);
  Value result = Value::of(range);
  if (range->length > max_range) exceed("a range is too long");
  return result;
}

Value dict_function(Renderer& renderer, Arguments& arguments) {
  return fill_dict(renderer, make_dict(renderer.heap()), 0, arguments);
}

Value namespace_function(Renderer& renderer, Arguments& arguments) {
  Value attributes = fill_dict(renderer, make_dict(renderer.heap()), 0, arguments);
  return Value::of(renderer.heap().make<NamespaceObject>(attributes));
}

// Only a text that stands in the template itself gets into the message: others can hold anything.
Value raise_function(Renderer&, Arguments& arguments) {
  const Value& message = arguments.positional[0];
  const bool literal = message.is(Tag::string) && message.object()->heap == nullptr;
  refuse("the template raises an exception" + (literal ? ": " + message.text() : std::string()));
}

constexpr FunctionSpec global_table[] = {
    {"range", {"/start stop step", 1}, range_function},
    {"dict", {"*"}, dict_function},
    {"namespace", {"*"}, namespace_function},
    {"raise_exception", {"message", 1}, raise_function},
    {"cycler", {}, nullptr},
    {"joiner", {}, nullptr},
    {"lipsum", {}, nullptr},
};

}  // namespace

FunctionTable list_methods() { return of_lists; }
FunctionTable dict_methods() { return of_dicts; }
FunctionTable loop_methods() { return of_loops; }
FunctionTable globals() { return global_table; }

}  // namespace ctxmgr::jinja
