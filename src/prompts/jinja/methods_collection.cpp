#include <algorithm>
#include <iterator>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/methods.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {
namespace {

void check_mutable(const Renderer& renderer) {
  if (renderer.settings().chat) refuse("values cannot be changed in a chat template");
}

// Lists ---------------------------------------------------------------------------------------------------------------

Value list_append(Renderer& renderer, const Value& self, Arguments& arguments) {
  check_mutable(renderer);
  append(self.sequence(), arguments.positional[0]);
  return Value::none();
}

constexpr FunctionSpec of_lists[] = {{"append", {"/object", 1}, list_append}};

// Dicts ---------------------------------------------------------------------------------------------------------------

template <ViewKind kind>
Value dict_view(Renderer& renderer, const Value& self, Arguments&) {
  return Value::of(renderer.heap().make<ViewObject>(kind, self));
}

Value otherwise(const Arguments& arguments, std::size_t position) {
  const Value* value = given(arguments, position);
  return value == nullptr ? Value::none() : *value;
}

Value dict_get(Renderer&, const Value& self, Arguments& arguments) {
  const Value* found = self.dict().find(arguments.positional[0]);
  return found != nullptr ? *found : otherwise(arguments, 1);
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

Value fill_dict(Renderer& renderer, Value dict, Arguments& arguments) {
  if (arguments.positional.size() > 1) refuse("too many arguments for a dict");
  if (!arguments.positional.empty()) merge(renderer, dict.dict(), arguments.positional[0]);
  for (auto& [name, value] : arguments.keywords) dict.dict().set(name, std::move(value));
  return dict;
}

Value dict_update(Renderer& renderer, const Value& self, Arguments& arguments) {
  check_mutable(renderer);
  (void)fill_dict(renderer, self, arguments);
  return Value::none();
}

constexpr FunctionSpec of_dicts[] = {
    {"get", {"/key default", 1}, dict_get},
    {"items", {""}, dict_view<ViewKind::items>},
    {"keys", {""}, dict_view<ViewKind::keys>},
    {"values", {""}, dict_view<ViewKind::values>},
    {"update", {"*"}, dict_update},
};

// Loops ---------------------------------------------------------------------------------------------------------------

Value cycle(Renderer&, const Value& self, Arguments& arguments) {
  if (!arguments.keywords.empty()) refuse("cycle() takes no named arguments");
  if (arguments.positional.empty()) refuse("cycle() needs items");
  const auto index = static_cast<std::size_t>(self.as<LoopObject>().index0);
  return arguments.positional[index % arguments.positional.size()];
}

constexpr FunctionSpec of_loops[] = {{"cycle", {"*"}, cycle}};

// Global functions ----------------------------------------------------------------------------------------------------

constexpr std::size_t max_range = 100'000;

Value range_function(Renderer& renderer, const Value&, Arguments& arguments) {
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

Value dict_function(Renderer& renderer, const Value&, Arguments& arguments) {
  return fill_dict(renderer, make_dict(renderer.heap()), arguments);
}

Value namespace_function(Renderer& renderer, const Value&, Arguments& arguments) {
  Value attributes = fill_dict(renderer, make_dict(renderer.heap()), arguments);
  return Value::of(renderer.heap().make<NamespaceObject>(std::move(attributes)));
}

// Only a text that stands in the template itself gets into the message: others can hold anything.
Value raise_function(Renderer&, const Value&, Arguments& arguments) {
  const Value& message = arguments.positional[0];
  const bool literal = message.is(Tag::string) && message.object()->heap == nullptr;
  refuse("the template raises an exception" + (literal ? ": " + message.text() : std::string()));
}

constexpr FunctionSpec globals[] = {
    {"range", {"/start stop step", 1}, range_function},
    {"dict", {"*"}, dict_function},
    {"namespace", {"*"}, namespace_function},
    {"raise_exception", {"message", 1}, raise_function},
};

// Not supported -------------------------------------------------------------------------------------------------------

constexpr FunctionSpec unsupported_of_texts[] = {
    {"casefold"},   {"center"},       {"count"},        {"encode"},   {"expandtabs"}, {"find"},
    {"format"},     {"format_map"},   {"index"},        {"isalnum"},  {"isalpha"},    {"isascii"},
    {"isdecimal"},  {"isdigit"},      {"isidentifier"}, {"islower"},  {"isnumeric"},  {"isprintable"},
    {"isspace"},    {"istitle"},      {"isupper"},      {"join"},     {"ljust"},      {"maketrans"},
    {"partition"},  {"removeprefix"}, {"removesuffix"}, {"rfind"},    {"rindex"},     {"rjust"},
    {"rpartition"}, {"rsplit"},       {"splitlines"},   {"swapcase"}, {"translate"},  {"zfill"}};
constexpr FunctionSpec unsupported_of_lists[] = {{"clear"},  {"copy"}, {"count"},  {"extend"},  {"index"},
                                                 {"insert"}, {"pop"},  {"remove"}, {"reverse"}, {"sort"}};
constexpr FunctionSpec unsupported_of_tuples[] = {{"count"}, {"index"}};
constexpr FunctionSpec unsupported_of_dicts[] = {{"clear"}, {"copy"},    {"fromkeys"},
                                                 {"pop"},   {"popitem"}, {"setdefault"}};
constexpr FunctionSpec unsupported_of_loops[] = {{"changed"}};
constexpr FunctionSpec unsupported_globals[] = {{"cycler"}, {"joiner"}, {"lipsum"}};

template <std::size_t size>
constexpr FunctionTable table(const FunctionSpec (&specs)[size]) {
  return {std::begin(specs), std::end(specs)};
}

const FunctionSpec* find_in(FunctionTable table, std::string_view name) {
  const auto* found =
      std::find_if(table.begin, table.end, [name](const FunctionSpec& spec) { return spec.name == name; });
  return found == table.end ? nullptr : found;
}

const FunctionSpec* find_in(FunctionTable supported, FunctionTable unsupported, std::string_view name) {
  const FunctionSpec* found = find_in(supported, name);
  return found != nullptr ? found : find_in(unsupported, name);
}

}  // namespace

const FunctionSpec* find_method(Tag type, std::string_view name) {
  switch (type) {
    case Tag::string: return find_in(string_methods(), table(unsupported_of_texts), name);
    case Tag::list: return find_in(table(of_lists), table(unsupported_of_lists), name);
    case Tag::tuple: return find_in(table(unsupported_of_tuples), name);
    case Tag::dict: return find_in(table(of_dicts), table(unsupported_of_dicts), name);
    case Tag::loop: return find_in(table(of_loops), table(unsupported_of_loops), name);
    default: return nullptr;
  }
}

const FunctionSpec* find_global(std::string_view name) {
  return find_in(table(globals), table(unsupported_globals), name);
}

}  // namespace ctxmgr::jinja
