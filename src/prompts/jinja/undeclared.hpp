#pragma once
#include <set>
#include <string>
#include <vector>

#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

/// Which of some names are read before they are set, as jinja2's find_undeclared tells.
class Undeclared {
 public:
  explicit Undeclared(std::set<std::string> names) : names_(std::move(names)) {}

  void visit(const std::vector<Statement*>& body);
  [[nodiscard]] bool has(const std::string& name) const { return found_.count(name) != 0; }

 private:
  void visit(const Statement& statement);
  void visit_signature(const Signature& signature);
  void read(const Expression* expression);
  void write(const Expression* target);

  std::set<std::string> names_;
  std::set<std::string> found_{};
};

}  // namespace ctxmgr::jinja
