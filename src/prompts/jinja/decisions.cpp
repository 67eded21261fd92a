#include "prompts/jinja/decisions.hpp"

namespace ctxmgr::jinja {
namespace {

bool asks_whether_defined(const Expression& expression) {
  if (expression.kind != ExpressionKind::test) return false;
  const auto name = expression.constant.text();
  return name == "defined" || name == "undefined";
}

bool is_decision(ExpressionKind kind) {
  return kind == ExpressionKind::comparison || kind == ExpressionKind::test || kind == ExpressionKind::logical_and ||
         kind == ExpressionKind::logical_or || kind == ExpressionKind::logical_not;
}

}  // namespace

Decisions::Decisions(const std::set<std::string>& names) {
  for (const auto& name : names) origins_.emplace(name, name);
}

void Decisions::visit(const std::vector<Statement*>& body) {
  for (const Statement* statement : body) visit(*statement);
}

std::optional<std::string> Decisions::origin_of(const Expression& expression) const {
  if (asks_whether_defined(expression)) return std::nullopt;
  if (expression.kind == ExpressionKind::name) {
    const auto found = origins_.find(std::string(expression.constant.text()));
    return found == origins_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::string> origin;
  for_each_child(expression, [&](const Expression& child) {
    if (!origin) origin = origin_of(child);
  });
  return origin;
}

void Decisions::decide_by(const Expression* expression) {
  if (expression == nullptr) return;
  if (auto origin = origin_of(*expression)) found_.insert(*std::move(origin));
  read(expression);
}

void Decisions::read(const Expression* expression) {
  if (expression == nullptr || asks_whether_defined(*expression)) return;
  if (is_decision(expression->kind)) {
    if (auto origin = origin_of(*expression)) found_.insert(*std::move(origin));
  }
  if (expression->kind == ExpressionKind::conditional) decide_by(expression->operand);
  for_each_child(*expression, [this](const Expression& child) { read(&child); });
}

void Decisions::assign(const Expression* target, const Expression* value) {
  if (target == nullptr || target->kind != ExpressionKind::name) return;
  const std::string name(target->constant.text());
  const auto origin = value == nullptr ? std::nullopt : origin_of(*value);
  origins_.erase(name);
  if (origin) origins_.emplace(name, *origin);
}

void Decisions::visit(const Statement& statement) {
  if (statement.kind == StatementKind::loop) {
    decide_by(statement.value);
    decide_by(statement.condition);
  } else {
    read(statement.value);
  }
  if (statement.kind == StatementKind::assignment) assign(statement.target, statement.value);
  const bool is_with = statement.kind == StatementKind::with;
  for (std::size_t i = 0; i < statement.values.size(); ++i) {
    read(statement.values[i]);
    if (is_with && i < statement.outputs.size()) assign(statement.outputs[i], statement.values[i]);
  }
  if (!is_with)
    for (const Expression* output : statement.outputs) read(output);
  for (const Branch& branch : statement.branches) {
    decide_by(branch.condition);
    visit(branch.body);
  }
  visit(statement.body);
  visit(statement.otherwise);
}

}  // namespace ctxmgr::jinja
