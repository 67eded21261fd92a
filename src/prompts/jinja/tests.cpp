#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {
namespace {

const Value& subject(const Arguments& arguments) { return arguments.positional[0]; }
const Value& other(const Arguments& arguments) { return arguments.positional[1]; }

template <Tag tag>
bool has_tag(Renderer&, Arguments& arguments) {
  return subject(arguments).is(tag);
}

bool is_defined(Renderer&, Arguments& arguments) { return !subject(arguments).is(Tag::undefined); }

bool is_number(Renderer&, Arguments& arguments) { return subject(arguments).is_number(); }

template <bool expected>
bool is_literal_bool(Renderer&, Arguments& arguments) {
  return subject(arguments).is(Tag::boolean) && (subject(arguments).as_integer() != 0) == expected;
}

bool remainder_is(Renderer& renderer, const Value& divisor, const Value& value, std::int64_t expected) {
  if (value.is(Tag::string)) refuse("a number is required");
  Heap& heap = renderer.heap();
  return equals(heap, calculate(heap, Operator::modulo, value, divisor), Value::integer(expected));
}

bool is_odd(Renderer& renderer, Arguments& arguments) {
  return remainder_is(renderer, Value::integer(2), subject(arguments), 1);
}
bool is_even(Renderer& renderer, Arguments& arguments) {
  return remainder_is(renderer, Value::integer(2), subject(arguments), 0);
}
bool is_divisible(Renderer& renderer, Arguments& arguments) {
  return remainder_is(renderer, other(arguments), subject(arguments), 0);
}

bool is_sequence(Renderer&, Arguments& arguments) {
  const Value& value = subject(arguments);
  if (value.is(Tag::undefined)) return !value.is_strict_undefined();
  return value.is(Tag::string) || value.is_sequence() || value.is(Tag::dict) || value.is(Tag::range);
}

bool is_iterable_test(Renderer&, Arguments& arguments) {
  const Value& value = subject(arguments);
  if (value.is_strict_undefined()) refuse_undefined(value);
  return is_iterable(value) || value.is(Tag::loop);
}

template <Operator operation>
bool compares(Renderer& renderer, Arguments& arguments) {
  return compare(renderer.heap(), operation, subject(arguments), other(arguments));
}

template <bool (*holds)(Renderer&, Arguments&)>
Value test(Renderer& renderer, Arguments& arguments) {
  return Value::boolean(holds(renderer, arguments));
}

constexpr FunctionSpec test_table[] = {
    {"defined", {"value", 1}, test<is_defined>},
    {"undefined", {"value", 1}, test<has_tag<Tag::undefined>>},
    {"none", {"value", 1}, test<has_tag<Tag::none>>},
    {"boolean", {"value", 1}, test<has_tag<Tag::boolean>>},
    {"true", {"value", 1}, test<is_literal_bool<true>>},
    {"false", {"value", 1}, test<is_literal_bool<false>>},
    {"integer", {"value", 1}, test<has_tag<Tag::integer>>},
    {"float", {"value", 1}, test<has_tag<Tag::floating>>},
    {"number", {"value", 1}, test<is_number>},
    {"string", {"value", 1}, test<has_tag<Tag::string>>},
    {"mapping", {"value", 1}, test<has_tag<Tag::dict>>},
    {"sequence", {"value", 1}, test<is_sequence>},
    {"iterable", {"value", 1}, test<is_iterable_test>},
    {"odd", {"value", 1}, test<is_odd>},
    {"even", {"value", 1}, test<is_even>},
    {"divisibleby", {"value num", 2}, test<is_divisible>},
    {"in", {"value seq", 2}, test<compares<Operator::in>>},
    {"==", {"/a b", 2}, test<compares<Operator::equal>>},
    {"eq", {"/a b", 2}, test<compares<Operator::equal>>},
    {"equalto", {"/a b", 2}, test<compares<Operator::equal>>},
    {"!=", {"/a b", 2}, test<compares<Operator::not_equal>>},
    {"ne", {"/a b", 2}, test<compares<Operator::not_equal>>},
    {">", {"/a b", 2}, test<compares<Operator::greater>>},
    {"gt", {"/a b", 2}, test<compares<Operator::greater>>},
    {"greaterthan", {"/a b", 2}, test<compares<Operator::greater>>},
    {">=", {"/a b", 2}, test<compares<Operator::greater_equal>>},
    {"ge", {"/a b", 2}, test<compares<Operator::greater_equal>>},
    {"<", {"/a b", 2}, test<compares<Operator::less>>},
    {"lt", {"/a b", 2}, test<compares<Operator::less>>},
    {"lessthan", {"/a b", 2}, test<compares<Operator::less>>},
    {"<=", {"/a b", 2}, test<compares<Operator::less_equal>>},
    {"le", {"/a b", 2}, test<compares<Operator::less_equal>>},
};

}  // namespace

FunctionTable tests() { return test_table; }

}  // namespace ctxmgr::jinja
