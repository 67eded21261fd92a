#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

/// By which of some variables a template decides: conditions, comparisons, tests and loops that read them, or a variable that was
/// set from them. Whether one is defined is no decision by its value.
class Decisions {
 public:
  explicit Decisions(const std::set<std::string>& names);

  void visit(const std::vector<Statement*>& body);
  [[nodiscard]] const std::set<std::string>& found() const { return found_; }

 private:
  void visit(const Statement& statement);
  void assign(const Expression* target, const Expression* value);
  void decide_by(const Expression* expression);
  void read(const Expression* expression);
  [[nodiscard]] std::optional<std::string> origin_of(const Expression& expression) const;

  std::map<std::string, std::string> origins_;  ///< Of each variable, which of the names its value is made of.
  std::set<std::string> found_;
};

}  // namespace ctxmgr::jinja
