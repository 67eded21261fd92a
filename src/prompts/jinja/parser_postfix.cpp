// What follows a value: attributes, subscripts, calls, filters and tests.
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/functions.hpp"
#include "prompts/jinja/parser.hpp"

namespace ctxmgr::jinja {
namespace {

// Between the brackets of a subscript, as opposed to an expression that ends with one.
bool is_bare_slice(const Expression& expression) {
  return expression.kind == ExpressionKind::slice && expression.operand == nullptr;
}

}  // namespace

Expression* Parser::parse_postfix(Expression* value) {
  for (;;) {
    if (at_symbol(".") || at_symbol("[")) {
      value = parse_subscript(value);
    } else if (at_symbol("(")) {
      value = parse_call(value);
    } else {
      return value;
    }
  }
}

Expression* Parser::parse_filter_chain(Expression* value) {
  for (;;) {
    if (at_symbol("|")) {
      value = parse_filter(value, false);
    } else if (at_name("is")) {
      value = parse_test(value);
    } else if (at_symbol("(")) {
      value = parse_call(value);
    } else {
      return value;
    }
  }
}

Expression* Parser::parse_subscript(Expression* value) {
  const std::uint32_t offset = current().offset;
  if (!skip_symbol(".")) {
    advance();
    return parse_bracket(value, offset);
  }
  if (current().type == TokenType::name) {
    Expression* attribute = node(ExpressionKind::attribute, offset, value);
    attribute->constant = program_.constant(advance().text);
    return attribute;
  }
  if (current().type != TokenType::integer) fail("expected a name or a number");
  return node(ExpressionKind::item, offset, value, parse_number());
}

Expression* Parser::parse_bracket(Expression* value, std::uint32_t offset) {
  std::vector<Expression*> items;
  parse_items("]", false, [this, &items] { items.push_back(parse_subscribed()); });
  if (items.size() == 1) {
    if (is_bare_slice(*items.front())) {
      items.front()->operand = value;
      return finish(items.front());
    }
    return node(ExpressionKind::item, offset, value, items.front());
  }
  for (const Expression* item : items) {
    if (is_bare_slice(*item)) refuse("a slice in a tuple is not supported", item->offset);
  }
  Expression* tuple = node(ExpressionKind::tuple, offset);
  tuple->items = std::move(items);
  return node(ExpressionKind::item, offset, value, finish(tuple));
}

// A subscript, or a slice whose operand is not known yet.
Expression* Parser::parse_subscribed() {
  const std::uint32_t offset = current().offset;
  Expression* start = nullptr;
  if (!at_symbol(":")) {
    start = parse_expression();
    if (!at_symbol(":")) return start;
  }
  expect_symbol(":");
  const auto bound = [this]() -> Expression* {
    return at_symbol(":") || at_symbol("]") || at_symbol(",") ? nullptr : parse_expression();
  };
  Expression* stop = bound();
  Expression* step = skip_symbol(":") ? bound() : nullptr;
  Expression* slice = node(ExpressionKind::slice, offset);
  slice->items = {start, stop, step};
  return finish(slice);
}

Expression* Parser::parse_call(Expression* callee) {
  Expression* call = node(ExpressionKind::call, current().offset, callee);
  parse_arguments(*call);
  return finish(call);
}

void Parser::parse_arguments(Expression& call) {
  expect_symbol("(");
  parse_items(")", true, [this, &call] { parse_argument(call); });
}

void Parser::parse_argument(Expression& call) {
  if (at_symbol("*") || at_symbol("**")) fail("'" + current().text + "' before an argument is not supported");
  if (current().type == TokenType::name && look().type == TokenType::symbol && look().text == "=") {
    const std::string& name = advance().text;
    for (const Keyword& known : call.keywords) {
      if (known.value != nullptr && known.name.text() == name) fail("an argument is given twice");
    }
    advance();
    Value constant_name = program_.constant(name);
    call.keywords.push_back({constant_name, parse_expression()});
  } else {
    if (!call.keywords.empty()) fail("invalid syntax of the arguments");
    call.items.push_back(parse_expression());
  }
}

std::string Parser::parse_dotted_name() {
  std::string name = expect_identifier().text;
  while (skip_symbol(".")) name += "." + expect_identifier().text;
  return name;
}

Expression* Parser::parse_filter(Expression* value, bool start_inline) {
  while (at_symbol("|") || start_inline) {
    if (!start_inline) advance();
    start_inline = false;
    Expression* filter = node(ExpressionKind::filter, current().offset, value);
    const std::string name = parse_dotted_name();
    filter->constant = program_.constant(name);
    filter->function = find_function(FunctionKind::filter, name);
    if (at_symbol("(")) parse_arguments(*filter);
    value = finish(filter);
  }
  return value;
}

void Parser::parse_test_argument(Expression& test) {
  if (at_symbol("(")) return parse_arguments(test);
  const TokenType type = current().type;
  const bool starts_value = type == TokenType::name || type == TokenType::string || type == TokenType::integer ||
                            type == TokenType::floating || at_symbol("[") || at_symbol("{");
  if (!starts_value || at_name("else") || at_name("or") || at_name("and")) return;
  if (at_name("is")) fail("tests cannot be chained");
  test.items.push_back(parse_postfix(parse_primary()));
}

Expression* Parser::parse_test(Expression* value) {
  const std::uint32_t offset = advance().offset;
  const bool negated = skip_name("not");
  Expression* test = node(ExpressionKind::test, offset, value);
  const std::string name = parse_dotted_name();
  test->constant = program_.constant(name);
  test->function = find_function(FunctionKind::test, name);
  parse_test_argument(*test);
  finish(test);
  return negated ? node(ExpressionKind::logical_not, offset, test) : test;
}

}  // namespace ctxmgr::jinja
