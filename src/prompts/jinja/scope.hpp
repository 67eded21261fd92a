#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

/// What has frames of its own: the template, a macro, a recursive loop.
struct Function {
  std::uint16_t depth = 0;
  std::map<std::string, std::uint16_t> slots{};

  std::uint16_t slot(const std::string& identifier);
};

/// Where a variable lives.
struct Place {
  Function* function = nullptr;
  std::uint16_t slot = 0;
};

/// The names of one scope, in the order of its code: what is read before it is set is looked up outside.
class Scope {
 public:
  Scope(Function& function, Scope* parent, std::string prefix)
      : function_(function), parent_(parent), prefix_(std::move(prefix)) {}

  Function& function() { return function_; }

  /// Here or in a scope around.
  [[nodiscard]] std::optional<Place> find(const std::string& name);

  void load(const std::string& name);
  void store(const std::string& name);
  std::uint16_t declare_parameter(const std::string& name);

  /// Analyses the branches of a condition apart from each other, then merges what they did.
  template <class Analyse>
  void branch(const Analyse& analyse, std::size_t count) {
    std::vector<Changes> branches;
    for (std::size_t i = 0; i < count; ++i) {
      Journal outer_journal;
      std::swap(journal_, outer_journal);
      const bool was_recording = std::exchange(recording_, true);
      analyse(i);
      branches.push_back(undo());
      recording_ = was_recording;
      std::swap(journal_, outer_journal);
    }
    merge(branches);
  }

  /// What the scope does on entry, in a frame of `current`.
  [[nodiscard]] std::vector<Load> loads(Program& program, const Function& current) const;

 private:
  struct Variable {
    std::optional<LoadKind> load{};
    std::optional<Place> alias{};
    std::uint16_t slot = 0;
    bool stored = false;
  };
  using Changes = std::map<std::string, Variable>;
  using Journal = std::vector<std::pair<std::string, std::optional<Variable>>>;

  Variable& change(const std::string& name);
  void define(const std::string& name, LoadKind kind, std::optional<Place> alias);
  Changes undo();
  void merge(const std::vector<Changes>& branches);
  void look_up_first(const std::string& name);

  Function& function_;
  Scope* parent_;
  std::string prefix_;
  std::map<std::string, Variable> variables_{};
  Journal journal_{};
  bool recording_ = false;
};

}  // namespace ctxmgr::jinja
