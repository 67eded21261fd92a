#include "prompts/jinja/undeclared.hpp"

namespace ctxmgr::jinja {

void Undeclared::visit(const std::vector<Statement*>& body) {
  for (const Statement* statement : body) visit(*statement);
}

void Undeclared::read(const Expression* expression) {
  if (expression == nullptr) return;
  if (expression->kind == ExpressionKind::name) {
    if (names_.count(expression->constant.text()) != 0) found_.insert(expression->constant.text());
    return;
  }
  for_each_child(*expression, [this](const Expression& child) { read(&child); });
}

void Undeclared::write(const Expression* target) {
  if (target == nullptr || target->kind == ExpressionKind::namespace_attribute) return;
  if (target->kind == ExpressionKind::name) names_.erase(target->constant.text());
  for (const Expression* item : target->items) write(item);
}

void Undeclared::visit_signature(const Signature& signature) {
  for (const Expression* parameter : signature.parameters) write(parameter);
  for (const Expression* value : signature.defaults) read(value);
}

void Undeclared::visit(const Statement& statement) {
  const bool filters_last = statement.kind == StatementKind::filter_block;
  if (statement.kind != StatementKind::macro) write(statement.target);
  if (!filters_last) read(statement.value);
  if (statement.kind == StatementKind::with) {
    for (const Expression* target : statement.outputs) write(target);
  } else {
    for (const Expression* output : statement.outputs) read(output);
  }
  for (const Expression* value : statement.values) read(value);
  visit_signature(statement.signature);
  for (const Branch& branch : statement.branches) {
    read(branch.condition);
    visit(branch.body);
  }
  visit(statement.body);
  if (filters_last) read(statement.value);
  visit(statement.otherwise);
  read(statement.condition);
}

}  // namespace ctxmgr::jinja
