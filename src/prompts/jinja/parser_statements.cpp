#include <algorithm>

#include "prompts/jinja/arguments.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/parser.hpp"

namespace ctxmgr::jinja {
namespace {

// Python's compiler, behind jinja2, takes no more in one function.
constexpr std::size_t max_nested_loops = 20;

}  // namespace

const Token& Parser::advance() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::is_name(const Token& token, std::string_view name) {
  return token.type == TokenType::name && token.text == name;
}

bool Parser::at_name(std::string_view name) const { return is_name(current(), name); }

bool Parser::at_symbol(std::string_view symbol) const {
  return current().type == TokenType::symbol && current().text == symbol;
}

bool Parser::skip_symbol(std::string_view symbol) {
  const bool found = at_symbol(symbol);
  if (found) advance();
  return found;
}

bool Parser::skip_name(std::string_view name) {
  const bool found = at_name(name);
  if (found) advance();
  return found;
}

void Parser::fail(const std::string& message) const { refuse(message, current().offset); }

void Parser::fail_unexpected() const {
  switch (current().type) {
    case TokenType::end: fail("unexpected end of the template");
    case TokenType::variable_end: fail("unexpected '}}'");
    case TokenType::block_end: fail("unexpected '%}'");
    case TokenType::symbol: fail("unexpected '" + current().text + "'");
    default: fail("an unexpected token");
  }
}

void Parser::expect_symbol(std::string_view symbol) {
  if (!skip_symbol(symbol)) fail("expected '" + std::string(symbol) + "'");
}

void Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) fail("expected '" + std::string(name) + "'");
}

void Parser::expect_block_end() {
  if (current().type != TokenType::block_end) fail("expected '%}'");
  advance();
}

const Token& Parser::expect_identifier() {
  if (current().type != TokenType::name) fail("expected a name");
  return advance();
}

void Parser::parse() {
  program_.body = parse_body({});
  if (current().type != TokenType::end) fail_unexpected();
}

std::vector<Statement*> Parser::parse_statements(Names ends) {
  skip_symbol(":");
  expect_block_end();
  std::vector<Statement*> body = parse_body(ends);
  if (current().type == TokenType::end) fail("a block is not closed: unexpected end of the template");
  return body;
}

std::vector<Statement*> Parser::parse_block(std::string_view end) {
  std::vector<Statement*> body = parse_statements({end});
  advance();
  return body;
}

void Parser::parse_output(std::vector<Statement*>& body) {
  Statement* output = program_.statement(StatementKind::output, current().offset);
  advance();
  output->outputs.push_back(parse_tuple(TupleMode::full));
  if (current().type != TokenType::variable_end) fail("expected '}}'");
  advance();
  body.push_back(output);
}

// Stops at a tag that is one of `ends`, with its name as the current token.
std::vector<Statement*> Parser::parse_body(Names ends) {
  const Nested nested(*this);
  std::vector<Statement*> body;
  while (current().type != TokenType::end) {
    if (current().type == TokenType::data) {
      Statement* text = program_.statement(StatementKind::text, current().offset);
      text->text = advance().text;
      body.push_back(text);
    } else if (current().type == TokenType::variable_begin) {
      parse_output(body);
    } else if (current().type == TokenType::block_begin) {
      advance();
      if (std::any_of(ends.begin(), ends.end(), [this](std::string_view name) { return at_name(name); })) return body;
      body.push_back(parse_statement());
      expect_block_end();
    } else {
      fail_unexpected();
    }
  }
  return body;
}

Statement* Parser::parse_statement() {
  if (current().type != TokenType::name) fail("expected the name of a tag");
  const std::string tag = current().text;
  if (tag == "if") return parse_if();
  if (tag == "for") return parse_for();
  if (tag == "set") return parse_set();
  if (tag == "with") return parse_with(true);
  if (tag == "macro") return parse_macro();
  if (tag == "filter") return parse_filter_block();
  return parse_simple_statement(tag);
}

Statement* Parser::parse_simple_statement(const std::string& tag) {
  if (controls_ == LoopControls::on && (tag == "break" || tag == "continue")) {
    if (loop_depth_ == 0) fail("'" + tag + "' stands outside of a loop");
    return program_.statement(tag == "break" ? StatementKind::loop_break : StatementKind::loop_continue,
                              advance().offset);
  }
  if (controls_ == LoopControls::on && tag == "generation") return parse_with(false);
  if (tag == "include" || tag == "import" || tag == "from" || tag == "extends" || tag == "block") {
    fail("'" + tag + "' is not supported: a template stands alone");
  }
  if (tag == "call" || tag == "print" || tag == "autoescape") fail("'" + tag + "' is not supported");
  fail("an unknown or misplaced tag '" + tag + "'");
}

Statement* Parser::parse_if() {
  Statement* statement = program_.statement(StatementKind::condition, advance().offset);
  Expression* condition = parse_tuple(TupleMode::no_conditional);
  for (;;) {
    statement->branches.push_back({condition, parse_statements({"elif", "else", "endif"})});
    if (skip_name("elif")) {
      condition = parse_tuple(TupleMode::no_conditional);
      continue;
    }
    if (skip_name("else")) {
      statement->branches.push_back({nullptr, parse_block("endif")});
    } else {
      expect_name("endif");
    }
    return statement;
  }
}

Statement* Parser::parse_for() {
  Statement* loop = program_.statement(StatementKind::loop, advance().offset);
  loop->target = parse_target(false, {"in"});
  expect_name("in");
  loop->value = parse_tuple(TupleMode::no_conditional, {"recursive"});
  if (skip_name("if")) {
    loop->condition = parse_expression();
    loop->filter_target = copy_target(*loop->target);
  }
  if (at_name("recursive")) fail("'recursive' is not supported");
  if (++loop_depth_ > max_nested_loops) fail("too many nested loops");
  loops_.push_back(loop);
  loop->body = parse_statements({"endfor", "else"});
  loops_.pop_back();
  --loop_depth_;
  if (advance().text == "else") loop->otherwise = parse_block("endfor");
  return loop;
}

Statement* Parser::parse_set() {
  const std::uint32_t offset = advance().offset;
  Expression* target = parse_target(true);
  if (skip_symbol("=")) {
    Statement* assignment = program_.statement(StatementKind::assignment, offset);
    assignment->target = target;
    assignment->value = parse_tuple(TupleMode::full);
    return assignment;
  }
  Statement* block = program_.statement(StatementKind::assignment_block, offset);
  block->target = target;
  block->value = parse_filter(nullptr, false);
  block->body = parse_block("endset");
  return block;
}

// Chat templates mark with `generation` what a model learns from. In a prompt it is a scope like any other.
Statement* Parser::parse_with(bool has_targets) {
  Statement* with = program_.statement(StatementKind::with, advance().offset);
  while (has_targets && current().type != TokenType::block_end) {
    if (!with->outputs.empty()) expect_symbol(",");
    with->outputs.push_back(parse_target(false));
    expect_symbol("=");
    with->values.push_back(parse_expression());
  }
  with->body = parse_block(has_targets ? "endwith" : "endgeneration");
  return with;
}

void Parser::parse_signature(Signature& signature) {
  expect_symbol("(");
  parse_items(")", false, [this, &signature] {
    Expression* parameter = parse_name_target();
    const std::string& name = parameter->constant.text();
    if (has_name(signature.names, name)) fail("a parameter is named twice");
    signature.names += (signature.names.empty() ? "" : " ") + name;
    if (skip_symbol("=")) {
      signature.defaults.push_back(parse_expression());
    } else if (!signature.defaults.empty()) {
      fail("a parameter without a default follows one with a default");
    }
    signature.parameters.push_back(parameter);
  });
}

Statement* Parser::parse_macro() {
  Statement* macro = program_.statement(StatementKind::macro, advance().offset);
  macro->target = parse_name_target();
  parse_signature(macro->signature);
  const std::size_t outer = std::exchange(loop_depth_, 0);
  macro->body = parse_block("endmacro");
  loop_depth_ = outer;
  return macro;
}

Statement* Parser::parse_filter_block() {
  Statement* block = program_.statement(StatementKind::filter_block, advance().offset);
  block->value = parse_filter(nullptr, true);
  block->body = parse_block("endfilter");
  return block;
}

void Parser::check_target(const Expression& target) const {
  if (target.kind == ExpressionKind::tuple) {
    for (const Expression* item : target.items) check_target(*item);
  } else if (target.kind != ExpressionKind::name) {
    refuse("this cannot be assigned to", target.offset);
  }
}

Expression* Parser::parse_name_target() {
  const Token& token = expect_identifier();
  static constexpr std::string_view reserved[] = {"true", "false", "none", "True", "False", "None"};
  if (std::find(std::begin(reserved), std::end(reserved), token.text) != std::end(reserved)) {
    refuse("this cannot be assigned to", token.offset);
  }
  Expression* name = node(ExpressionKind::name, token.offset);
  name->constant = program_.constant(token.text);
  return name;
}

Expression* Parser::parse_target(bool with_namespace, Names ends) {
  if (with_namespace && look().type == TokenType::symbol && look().text == ".") {
    const Token& token = expect_identifier();
    Expression* space = node(ExpressionKind::name, token.offset);
    space->constant = program_.constant(token.text);
    advance();
    Expression* target = node(ExpressionKind::namespace_attribute, token.offset, space);
    target->constant = program_.constant(expect_identifier().text);
    return target;
  }
  Expression* target = parse_tuple(TupleMode::primaries, ends);
  check_target(*target);
  return target;
}

Expression* Parser::copy_target(const Expression& target) {
  Expression* copy = node(target.kind, target.offset);
  copy->constant = target.constant;
  for (const Expression* item : target.items) copy->items.push_back(copy_target(*item));
  return finish(copy);
}

}  // namespace ctxmgr::jinja
