#include "prompts/jinja/binder.hpp"

#include <algorithm>
#include <utility>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/functions.hpp"
#include "prompts/jinja/scope.hpp"
#include "prompts/jinja/undeclared.hpp"

namespace ctxmgr::jinja {
namespace {

using Body = std::vector<Statement*>;

class Binder {
 public:
  explicit Binder(Program& program) : program_(program) {}

  void run() {
    Function root;
    Scope scope(root, nullptr, "0 ");
    Undeclared self({"self"});
    self.visit(program_.body);
    if (self.has("self")) refuse("'self' is not supported");
    analyse(program_.body, scope);
    bind(program_.body, scope, false);
    program_.loads = scope.loads(program_, root);
    program_.slots = static_cast<std::uint16_t>(root.slots.size());
  }

 private:
  // Analysis: which names a scope reads and sets, without looking into inner scopes.

  void analyse(const Expression* expression, Scope& scope) {
    if (expression == nullptr) return;
    if (expression->kind == ExpressionKind::name) return scope.load(expression->constant.text());
    for_each_child(*expression, [&](const Expression& child) { analyse(&child, scope); });
  }

  void analyse_target(const Expression& target, Scope& scope, bool as_parameter) {
    if (target.kind == ExpressionKind::namespace_attribute) return scope.load(target.operand->constant.text());
    if (target.kind == ExpressionKind::tuple) {
      for (const Expression* item : target.items) analyse_target(*item, scope, as_parameter);
    } else if (as_parameter) {
      scope.declare_parameter(target.constant.text());
    } else {
      scope.store(target.constant.text());
    }
  }

  void analyse(const Body& body, Scope& scope) {
    for (const Statement* statement : body) analyse(*statement, scope);
  }

  void analyse_condition(const Statement& statement, std::size_t first, Scope& scope) {
    const auto& branches = statement.branches;
    analyse(branches[first].condition, scope);
    const bool has_else = first == 0 && branches.back().condition == nullptr;
    const std::size_t end = branches.size() - (has_else ? 1 : 0);
    const auto part = [&](std::size_t which) {
      if (which == 0) analyse(branches[first].body, scope);
      if (which == 1 && first == 0) {
        for (std::size_t i = 1; i < end; ++i) analyse_condition(statement, i, scope);
      }
      if (which == 2 && has_else) analyse(branches.back().body, scope);
    };
    scope.branch(part, 3);
  }

  void analyse(const Statement& statement, Scope& scope) {
    switch (statement.kind) {
      case StatementKind::output:
        for (const Expression* output : statement.outputs) analyse(output, scope);
        break;
      case StatementKind::condition: analyse_condition(statement, 0, scope); break;
      case StatementKind::assignment:
        analyse(statement.value, scope);
        analyse_target(*statement.target, scope, false);
        break;
      case StatementKind::assignment_block: analyse_target(*statement.target, scope, false); break;
      case StatementKind::macro: scope.store(statement.target->constant.text()); break;
      case StatementKind::loop:
      case StatementKind::filter_block: analyse(statement.value, scope); break;
      case StatementKind::with:
        for (const Expression* value : statement.values) analyse(value, scope);
        break;
      default: break;
    }
  }

  // Binding: gives each name its address, and analyses inner scopes as it comes to them.

  void bind(Expression* expression, Scope& scope, bool soft) {
    if (expression == nullptr) return;
    if (expression->kind == ExpressionKind::name) return bind_name(*expression, scope);
    // Inside a condition jinja2 lets an unknown filter pass until it is used.
    const bool applies = expression->kind == ExpressionKind::filter || expression->kind == ExpressionKind::test;
    if (applies && !soft) check_function(*expression);
    const bool inner_soft = soft || expression->kind == ExpressionKind::conditional;
    for_each_child(*expression, [&](Expression& child) { bind(&child, scope, inner_soft); });
  }

  void bind_name(Expression& name, Scope& scope) {
    const auto place = scope.find(name.constant.text());
    if (!place) refuse("the name '" + name.constant.text() + "' cannot be used here", name.offset);
    name.address = {static_cast<std::uint16_t>(scope.function().depth - place->function->depth), place->slot};
  }

  void bind_target(Expression& target, Scope& scope) {
    if (target.kind == ExpressionKind::namespace_attribute) return bind_name(*target.operand, scope);
    if (target.kind == ExpressionKind::tuple) {
      for (Expression* item : target.items) bind_target(*item, scope);
      return;
    }
    if (loops_ > 0 && target.constant.text() == "loop") refuse("'loop' cannot be set in a loop", target.offset);
    bind_name(target, scope);
  }

  void bind(const Body& body, Scope& scope, bool soft) {
    for (Statement* statement : body) bind(*statement, scope, soft);
  }

  void bind(Statement& statement, Scope& scope, bool soft) {
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
      case StatementKind::with: bind_with(statement, scope, soft); break;
      default: break;
    }
  }

  std::string prefix() { return std::to_string(++scopes_) + " "; }

  void bind_block(Statement& statement, Scope& outer) {
    Scope scope(outer.function(), &outer, prefix());
    analyse(statement.body, scope);
    if (statement.kind == StatementKind::filter_block) analyse(statement.value, scope);
    bind(statement.body, scope, false);
    bind(statement.value, scope, false);
    if (statement.target != nullptr) bind_target(*statement.target, outer);
    statement.loads = scope.loads(program_, outer.function());
  }

  void bind_with(Statement& statement, Scope& outer, bool soft) {
    Scope scope(outer.function(), &outer, prefix());
    for (const Expression* target : statement.outputs) analyse_target(*target, scope, true);
    analyse(statement.body, scope);
    for (Expression* value : statement.values) bind(value, outer, soft);
    for (Expression* target : statement.outputs) {
      const int loops = std::exchange(loops_, 0);
      bind_target(*target, scope);
      loops_ = loops;
    }
    bind(statement.body, scope, false);
    statement.loads = scope.loads(program_, outer.function());
  }

  void bind_macro(Statement& macro, Scope& outer) {
    Function function;
    function.depth = static_cast<std::uint16_t>(outer.function().depth + 1);
    Scope scope(function, &outer, prefix());
    Signature& signature = macro.signature;
    for (const Expression* parameter : signature.parameters) analyse_target(*parameter, scope, true);
    for (const Expression* value : signature.defaults) analyse(value, scope);
    analyse(macro.body, scope);
    refuse_specials(macro);
    for (Expression* parameter : signature.parameters) bind_name(*parameter, scope);
    for (Expression* value : signature.defaults) bind(value, scope, false);
    bind(macro.body, scope, false);
    macro.loads = scope.loads(program_, function);
    signature.slots = static_cast<std::uint16_t>(function.slots.size());
    bind_name(*macro.target, outer);
  }

  // What jinja2 gives a macro beside its parameters.
  static void refuse_specials(const Statement& macro) {
    Undeclared undeclared({"caller", "kwargs", "varargs"});
    undeclared.visit(macro.body);
    for (const auto* name : {"caller", "kwargs", "varargs"}) {
      const auto& parameters = macro.signature.parameters;
      const bool is_parameter = std::any_of(parameters.begin(), parameters.end(), [name](const Expression* parameter) {
        return parameter->constant.text() == name;
      });
      const bool is_special = is_parameter ? std::string_view(name) == "caller" : undeclared.has(name);
      if (is_special) refuse("'" + std::string(name) + "' of a macro is not supported", macro.offset);
    }
  }

  void bind_loop(Statement& loop, Scope& outer, bool soft) {
    Function& function = outer.function();
    Scope scope(function, &outer, prefix());
    Undeclared undeclared({"loop"});
    undeclared.visit(loop.body);
    loop.uses_loop = undeclared.has("loop");
    if (loop.uses_loop) loop.loop_slot = scope.declare_parameter("loop");
    analyse_target(*loop.target, scope, true);
    analyse(loop.body, scope);
    ++loops_;
    if (loop.condition != nullptr) bind_condition(loop, function, outer);
    bind_target(*loop.target, scope);
    bind(loop.value, outer, soft);
    bind(loop.body, scope, false);
    loop.loads = scope.loads(program_, function);
    if (!loop.otherwise.empty()) {
      Scope otherwise(function, &outer, prefix());
      analyse(loop.otherwise, otherwise);
      bind(loop.otherwise, otherwise, false);
      loop.otherwise_loads = otherwise.loads(program_, function);
    }
    --loops_;
  }

  void bind_condition(Statement& loop, Function& function, Scope& outer) {
    Scope scope(function, &outer, prefix());
    analyse_target(*loop.filter_target, scope, true);
    analyse(loop.condition, scope);
    bind_target(*loop.filter_target, scope);
    bind(loop.condition, scope, false);
    loop.condition_loads = scope.loads(program_, function);
  }

  Program& program_;
  int scopes_ = 0;
  int loops_ = 0;  ///< Around what is bound.
};

}  // namespace

void bind_names(Program& program) { Binder(program).run(); }

}  // namespace ctxmgr::jinja
