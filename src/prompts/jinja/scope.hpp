#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

/// What has frames of its own: the template or a macro.
struct Function {
  std::uint16_t depth = 0;
  std::uint32_t offset = 0;
  std::uint16_t slots = 0;
};

/// Where a variable lives; without a function: nowhere.
struct Place {
  const Function* function = nullptr;
  std::uint16_t slot = 0;

  explicit operator bool() const { return function != nullptr; }
  /// As seen from a frame of `current`.
  [[nodiscard]] Address address(const Function& current) const {
    return {static_cast<std::uint16_t>(current.depth - function->depth), slot};
  }
};

/// What a scope does with a name, in the order of its code.
enum class Use : std::uint8_t { none, read, set, read_then_set };
using Uses = std::map<std::string, Use>;

/// What is done after all that is known of the name.
void add_use(Uses& uses, const std::string& name, Use use);
/// What the branches of a condition do, of which one is taken: a name that not all of them set is looked up first.
void add_branches(Uses& uses, const std::vector<Uses>& branches);

/// The variables of one scope: what is read before it is set is looked up outside.
class Scope {
 public:
  /// `parameters` have their values when the scope is entered.
  Scope(Program& program, Function& function, const Scope* parent, const std::vector<std::string>& parameters,
        const Uses& uses);

  [[nodiscard]] Function& function() const { return function_; }
  /// Here or in a scope around.
  [[nodiscard]] Place find(const std::string& name) const;
  /// What the scope does on entry.
  [[nodiscard]] const std::vector<Load>& loads() const { return loads_; }

 private:
  void look_up(Program& program, const std::string& name, Use use);
  void define(const std::string& name, Load load);

  Function& function_;
  const Scope* parent_;
  std::map<std::string, std::uint16_t> slots_{};
  std::vector<Load> loads_{};
};

}  // namespace ctxmgr::jinja
