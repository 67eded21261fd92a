#include "prompts/jinja/binder.hpp"

#include <algorithm>
#include <utility>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/functions.hpp"
#include "prompts/jinja/scope.hpp"

namespace ctxmgr::jinja {
namespace {

using Body = std::vector<Statement*>;

// Which names a scope reads and sets, without looking into inner scopes.

void add_reads(const Expression* expression, Uses& uses) {
  if (expression == nullptr) return;
  if (expression->kind == ExpressionKind::name) return add_use(uses, expression->constant.text(), Use::read);
  for_each_child(*expression, [&uses](const Expression& child) { add_reads(&child, uses); });
}

void add_names(const Expression& target, std::vector<std::string>& names) {
  if (target.kind == ExpressionKind::name) names.push_back(target.constant.text());
  for (const Expression* item : target.items) add_names(*item, names);
}

std::vector<std::string> names_of(const std::vector<Expression*>& targets) {
  std::vector<std::string> names;
  for (const Expression* target : targets) add_names(*target, names);
  return names;
}

void add_sets(Expression* target, Uses& uses) {
  if (target->kind == ExpressionKind::namespace_attribute) return add_reads(target, uses);
  for (const std::string& name : names_of({target})) add_use(uses, name, Use::set);
}

void add_statement(const Statement& statement, Uses& uses);

void add_body(const Body& body, Uses& uses) {
  for (const Statement* statement : body) add_statement(*statement, uses);
}

// As jinja2 sees a condition: three branches, of which all the elif make one, in which each is a condition for itself.
void add_condition(const Statement& statement, Uses& uses) {
  std::vector<Uses> branches(3);
  for (const Branch& branch : statement.branches) {
    if (&branch == &statement.branches.front()) {
      add_reads(branch.condition, uses);
      add_body(branch.body, branches[0]);
    } else if (branch.condition == nullptr) {
      add_body(branch.body, branches[2]);
    } else {
      add_reads(branch.condition, branches[1]);
      std::vector<Uses> inner(3);
      add_body(branch.body, inner[0]);
      add_branches(branches[1], inner);
    }
  }
  add_branches(uses, branches);
}

void add_statement(const Statement& statement, Uses& uses) {
  switch (statement.kind) {
    case StatementKind::condition: return add_condition(statement, uses);
    case StatementKind::output:
      for (const Expression* output : statement.outputs) add_reads(output, uses);
      break;
    case StatementKind::assignment:
      add_reads(statement.value, uses);
      add_sets(statement.target, uses);
      break;
    case StatementKind::macro:
    case StatementKind::assignment_block: add_sets(statement.target, uses); break;
    case StatementKind::loop:
    case StatementKind::filter_block: add_reads(statement.value, uses); break;
    case StatementKind::with:
      for (const Expression* value : statement.values) add_reads(value, uses);
      break;
    default: break;
  }
}

/// Gives each name its address, scope by scope.
class Binder {
 public:
  explicit Binder(Program& program) : program_(program) {}

  void run() {
    Function root;
    program_.loads = bind_scope(root, nullptr, {}, {}, program_.body);
    program_.slots = root.slots;
  }

 private:
  /// A scope of its own for expressions and a body; what it does on entry.
  std::vector<Load> bind_scope(Function& function, const Scope* outer, const std::vector<Expression*>& targets,
                               const std::vector<Expression*>& expressions, const Body& body) {
    Uses uses;
    for (const Expression* expression : expressions) add_reads(expression, uses);
    add_body(body, uses);
    const Scope scope(program_, function, outer, names_of(targets), uses);
    for (Expression* target : targets) bind_target(*target, scope);
    for (Expression* expression : expressions) bind(expression, scope, false);
    bind(body, scope, false);
    return scope.loads();
  }

  void bind(const Body& body, const Scope& scope, bool soft) {
    for (Statement* statement : body) bind(*statement, scope, soft);
  }

  void bind(Expression* expression, const Scope& scope, bool soft) {
    if (expression == nullptr) return;
    if (expression->kind == ExpressionKind::name) return bind_name(*expression, scope);
    const bool applies = expression->kind == ExpressionKind::filter || expression->kind == ExpressionKind::test;
    // Inside a condition jinja2 lets an unknown filter pass until it is used.
    if (applies && !soft) check_function(*expression);
    const bool inner_soft = soft || expression->kind == ExpressionKind::conditional;
    for_each_child(*expression, [&](Expression& child) { bind(&child, scope, inner_soft); });
  }

  static void bind_name(Expression& name, const Scope& scope) {
    const auto place = scope.find(name.constant.text());
    if (!place) refuse("the name '" + name.constant.text() + "' cannot be used here", name.offset);
    name.address = place.address(scope.function());
  }

  void bind_target(Expression& target, const Scope& scope) {
    if (target.kind == ExpressionKind::namespace_attribute) return bind_name(*target.operand, scope);
    for (Expression* item : target.items) bind_target(*item, scope);
    if (target.kind != ExpressionKind::name) return;
    if (loops_ > 0 && target.constant.text() == "loop") refuse("'loop' cannot be set in a loop", target.offset);
    bind_name(target, scope);
  }

  void bind(Statement& statement, const Scope& scope, bool soft) {
    switch (statement.kind) {
      case StatementKind::output:
        for (Expression* output : statement.outputs) bind(output, scope, soft);
        break;
      case StatementKind::condition:
        for (Branch& branch : statement.branches) {
          bind(branch.condition, scope, true);
          bind(branch.body, scope, true);
        }
        break;
      case StatementKind::assignment:
        bind(statement.value, scope, soft);
        bind_target(*statement.target, scope);
        break;
      case StatementKind::loop: bind_loop(statement, scope, soft); break;
      case StatementKind::macro: bind_macro(statement, scope); break;
      case StatementKind::filter_block:
      case StatementKind::assignment_block: bind_block(statement, scope); break;
      case StatementKind::with:
        for (Expression* value : statement.values) bind(value, scope, soft);
        statement.loads = bind_scope(scope.function(), &scope, statement.outputs, {}, statement.body);
        break;
      default: break;
    }
  }

  void bind_block(Statement& statement, const Scope& outer) {
    Uses uses;
    add_body(statement.body, uses);
    if (statement.kind == StatementKind::filter_block) add_reads(statement.value, uses);
    const Scope scope(program_, outer.function(), &outer, {}, uses);
    bind(statement.body, scope, false);
    bind(statement.value, scope, false);
    if (statement.target != nullptr) bind_target(*statement.target, outer);
    statement.loads = scope.loads();
  }

  void bind_macro(Statement& macro, const Scope& outer) {
    Function function{static_cast<std::uint16_t>(outer.function().depth + 1), macro.offset};
    Signature& signature = macro.signature;
    for (const std::string& name : names_of(signature.parameters)) {
      if (name == "caller") refuse("'caller' of a macro is not supported", macro.offset);
    }
    macro.loads = bind_scope(function, &outer, signature.parameters, signature.defaults, macro.body);
    signature.slots = function.slots;
    bind_name(*macro.target, outer);
  }

  void bind_loop(Statement& loop, const Scope& outer, bool soft) {
    Function& function = outer.function();
    bind(loop.value, outer, soft);
    ++loops_;
    if (loop.condition != nullptr) {
      loop.condition_loads = bind_scope(function, &outer, {loop.filter_target}, {loop.condition}, {});
    }
    std::vector<std::string> parameters = names_of({loop.target});
    if (loop.uses_loop) parameters.push_back("loop");
    Uses uses;
    add_body(loop.body, uses);
    const Scope scope(program_, function, &outer, parameters, uses);
    bind_target(*loop.target, scope);
    if (loop.uses_loop) loop.loop_slot = scope.find("loop").slot;
    bind(loop.body, scope, false);
    loop.loads = scope.loads();
    if (!loop.otherwise.empty()) loop.otherwise_loads = bind_scope(function, &outer, {}, {}, loop.otherwise);
    --loops_;
  }

  Program& program_;
  int loops_ = 0;  ///< Around what is bound.
};

}  // namespace

void bind_names(Program& program) { Binder(program).run(); }

}  // namespace ctxmgr::jinja
