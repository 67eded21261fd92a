#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/real_number.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/parser.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr std::uint16_t max_tree_depth = 200;

}  // namespace

Parser::Nested::Nested(Parser& parser) : parser_(parser) {
  if (parser.depth_ >= parser.max_depth_) exceed("the template is nested too deeply", parser.current().offset);
  ++parser.depth_;
}

Expression* Parser::finish(Expression* expression) {
  std::uint16_t depth = 0;
  const auto include = [&depth](const Expression* child) {
    if (child != nullptr) depth = std::max(depth, child->depth);
  };
  for (const Expression* child : {expression->operand, expression->second, expression->third}) include(child);
  for (const Expression* child : expression->items) include(child);
  for (const Keyword& keyword : expression->keywords) include(keyword.value);
  expression->depth = static_cast<std::uint16_t>(depth + 1);
  if (expression->depth > max_tree_depth) exceed("an expression is nested too deeply", expression->offset);
  return expression;
}

Expression* Parser::node(ExpressionKind kind, std::uint32_t offset, Expression* operand, Expression* second,
                         Expression* third) {
  Expression* expression = program_.expression(kind, offset);
  expression->operand = operand;
  expression->second = second;
  expression->third = third;
  return finish(expression);
}

Expression* Parser::constant(Value value, std::uint32_t offset) {
  Expression* expression = node(ExpressionKind::constant, offset);
  expression->constant = value;
  return expression;
}

// Conditionals, the loosest operator; also where nesting is counted.
Expression* Parser::parse_expression() {
  const Nested nested(*this);
  Expression* value = parse_or();
  while (at_name("if")) {
    const std::uint32_t offset = current().offset;
    advance();
    Expression* condition = parse_or();
    Expression* otherwise = skip_name("else") ? parse_expression() : nullptr;
    value = node(ExpressionKind::conditional, offset, condition, value, otherwise);
  }
  return value;
}

Expression* Parser::parse_logical(ExpressionKind kind, std::string_view word) {
  const auto operand = [this, kind] {
    return kind == ExpressionKind::logical_or ? parse_logical(ExpressionKind::logical_and, "and") : parse_not();
  };
  Expression* left = operand();
  while (at_name(word)) {
    const std::uint32_t offset = advance().offset;
    left = node(kind, offset, left, operand());
  }
  return left;
}

Expression* Parser::parse_not() {
  if (!at_name("not")) return parse_comparison();
  const Nested nested(*this);
  const std::uint32_t offset = advance().offset;
  return node(ExpressionKind::logical_not, offset, parse_not());
}

Operator Parser::take_comparison() {
  static constexpr std::pair<std::string_view, Operator> symbols[] = {
      {"==", Operator::equal},      {"!=", Operator::not_equal}, {"<", Operator::less},
      {"<=", Operator::less_equal}, {">", Operator::greater},    {">=", Operator::greater_equal}};
  for (const auto& [symbol, operation] : symbols) {
    if (skip_symbol(symbol)) return operation;
  }
  if (skip_name("in")) return Operator::in;
  if (at_name("not") && is_name(look(), "in")) {
    at_ += 2;
    return Operator::not_in;
  }
  return Operator::none;
}

Expression* Parser::parse_comparison() {
  Expression* first = parse_arithmetic(0);
  Expression* comparison = nullptr;
  for (;;) {
    const std::uint32_t offset = current().offset;
    const Operator operation = take_comparison();
    if (operation == Operator::none) break;
    if (comparison == nullptr) comparison = node(ExpressionKind::comparison, offset, first);
    comparison->operations.push_back(operation);
    comparison->items.push_back(parse_arithmetic(0));
  }
  return comparison != nullptr ? finish(comparison) : first;
}

Operator Parser::arithmetic_operator(int level) const {
  if (current().type != TokenType::symbol) return Operator::none;
  const std::string& symbol = current().text;
  if (level == 0) return symbol == "+" ? Operator::add : symbol == "-" ? Operator::subtract : Operator::none;
  if (symbol == "**") fail("'**' is not supported");
  if (symbol == "*") return Operator::multiply;
  if (symbol == "/") return Operator::divide;
  if (symbol == "//") return Operator::floor_divide;
  return symbol == "%" ? Operator::modulo : Operator::none;
}

// Levels: 0 sums, 1 products. Both associate to the left, as jinja2's do; "~" binds tighter than a sum.
Expression* Parser::parse_arithmetic(int level) {
  const auto operand = [this, level] { return level == 0 ? parse_concat() : parse_unary(); };
  Expression* left = operand();
  for (Operator operation = arithmetic_operator(level); operation != Operator::none;
       operation = arithmetic_operator(level)) {
    const std::uint32_t offset = advance().offset;
    left = node(ExpressionKind::binary, offset, left, operand());
    left->operation = operation;
  }
  return left;
}

Expression* Parser::parse_concat() {
  Expression* first = parse_arithmetic(1);
  if (!at_symbol("~")) return first;
  Expression* concat = node(ExpressionKind::concat, current().offset);
  concat->items.push_back(first);
  while (skip_symbol("~")) concat->items.push_back(parse_arithmetic(1));
  return finish(concat);
}

Expression* Parser::parse_unary(bool with_filter) {
  Expression* result = nullptr;
  if (at_symbol("-") || at_symbol("+")) {
    const Nested nested(*this);
    const ExpressionKind kind = at_symbol("-") ? ExpressionKind::negate : ExpressionKind::posit;
    const std::uint32_t offset = advance().offset;
    result = node(kind, offset, parse_unary(false));
  } else {
    result = parse_primary();
  }
  result = parse_postfix(result);
  return with_filter ? parse_filter_chain(result) : result;
}

Expression* Parser::parse_number() {
  const Token& token = advance();
  const char* first = token.text.data();
  const char* last = first + token.text.size();
  if (token.type == TokenType::floating) {
    const auto value = read_real(token.text);
    if (!value || !std::isfinite(*value)) refuse("a number is out of range", token.offset);
    return constant(Value::floating(*value), token.offset);
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(first, last, value);
  if (result.ec != std::errc() || result.ptr != last) {
    exceed("an integer of more than 64 bits is not supported", token.offset);
  }
  return constant(Value::integer(value), token.offset);
}

Expression* Parser::parse_strings() {
  const std::uint32_t offset = current().offset;
  std::string text;
  while (current().type == TokenType::string) text += advance().text;
  return constant(program_.constant(text), offset);
}

Expression* Parser::parse_primary() {
  const Token& token = current();
  if (token.type == TokenType::string) return parse_strings();
  if (token.type == TokenType::integer || token.type == TokenType::floating) return parse_number();
  if (token.type == TokenType::name) {
    const std::string& name = advance().text;
    if (name == "true" || name == "True") return constant(Value::boolean(true), token.offset);
    if (name == "false" || name == "False") return constant(Value::boolean(false), token.offset);
    if (name == "none" || name == "None") return constant(Value::none(), token.offset);
    if (name == "loop") {
      for (Statement* loop : loops_) loop->uses_loop = true;
    }
    Expression* result = node(ExpressionKind::name, token.offset);
    result->constant = program_.constant(name);
    return result;
  }
  if (at_symbol("[")) return parse_collection(ExpressionKind::list);
  if (at_symbol("{")) return parse_collection(ExpressionKind::dict);
  if (!at_symbol("(")) fail_unexpected();
  const Nested nested(*this);
  advance();
  Expression* inner = parse_tuple(TupleMode::parenthesized);
  expect_symbol(")");
  return inner;
}

bool Parser::at_tuple_end(Names ends) const {
  if (current().type == TokenType::variable_end || current().type == TokenType::block_end || at_symbol(")"))
    return true;
  return std::any_of(ends.begin(), ends.end(), [this](std::string_view name) { return at_name(name); });
}

Expression* Parser::parse_tuple_item(TupleMode mode) {
  if (mode == TupleMode::primaries) return parse_primary();
  return mode == TupleMode::no_conditional ? parse_or() : parse_expression();
}

Expression* Parser::parse_tuple(TupleMode mode, Names ends) {
  const std::uint32_t offset = current().offset;
  std::vector<Expression*> items;
  bool is_tuple = false;
  for (;;) {
    if (!items.empty()) expect_symbol(",");
    if (at_tuple_end(ends)) break;
    items.push_back(parse_tuple_item(mode));
    if (!at_symbol(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return items.front();
    if (mode != TupleMode::parenthesized) fail_unexpected();
  }
  Expression* tuple = node(ExpressionKind::tuple, offset);
  tuple->items = std::move(items);
  return finish(tuple);
}

Expression* Parser::parse_collection(ExpressionKind kind) {
  const bool is_dict = kind == ExpressionKind::dict;
  Expression* collection = node(kind, advance().offset);
  parse_items(is_dict ? "}" : "]", true, [this, is_dict, collection] {
    collection->items.push_back(parse_expression());
    if (!is_dict) return;
    expect_symbol(":");
    collection->items.push_back(parse_expression());
  });
  return finish(collection);
}

}  // namespace ctxmgr::jinja
