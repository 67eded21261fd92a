#include "prompts/jinja/scope.hpp"

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {

std::uint16_t Function::slot(const std::string& identifier) {
  const auto [entry, added] = slots.try_emplace(identifier, static_cast<std::uint16_t>(slots.size()));
  if (added && slots.size() > 60'000) exceed("the template has too many variables");
  return entry->second;
}

std::optional<Place> Scope::find(const std::string& name) {
  for (Scope* scope = this; scope != nullptr; scope = scope->parent_) {
    if (const auto found = scope->variables_.find(name); found != scope->variables_.end()) {
      return Place{&scope->function_, found->second.slot};
    }
  }
  return std::nullopt;
}

void Scope::load(const std::string& name) {
  if (!find(name)) define(name, LoadKind::resolve, std::nullopt);
}

void Scope::store(const std::string& name) {
  const bool known = variables_.count(name) != 0;
  const auto outer = known || parent_ == nullptr ? std::nullopt : parent_->find(name);
  if (!known) define(name, outer ? LoadKind::alias : LoadKind::undefined, outer);
  change(name).stored = true;
}

std::uint16_t Scope::declare_parameter(const std::string& name) {
  define(name, LoadKind::parameter, std::nullopt);
  change(name).stored = true;
  return variables_[name].slot;
}

void Scope::merge(const std::vector<Changes>& branches) {
  std::map<std::string, std::size_t> stores;
  for (const auto& changes : branches) {
    for (const auto& [name, variable] : changes) {
      const auto known = variables_.find(name);
      if (variable.stored && (known == variables_.end() || !known->second.stored)) ++stores[name];
    }
  }
  for (const auto& changes : branches) {
    for (const auto& [name, variable] : changes) {
      Variable& target = change(name);
      const bool stored = target.stored || variable.stored;
      target = variable;
      target.stored = stored;
    }
  }
  for (const auto& [name, times] : stores) {
    if (times < branches.size()) look_up_first(name);
  }
}

std::vector<Load> Scope::loads(Program& program, const Function& current) const {
  std::vector<Load> result;
  for (const auto& [name, variable] : variables_) {
    if (!variable.load) continue;
    Load load{*variable.load, variable.slot, {}, {}};
    if (load.kind == LoadKind::resolve) load.name = program.constant(name);
    if (load.kind == LoadKind::alias) {
      load.from = {static_cast<std::uint16_t>(current.depth - variable.alias->function->depth), variable.alias->slot};
    }
    result.push_back(std::move(load));
  }
  return result;
}

Scope::Variable& Scope::change(const std::string& name) {
  const auto found = variables_.find(name);
  if (recording_) {
    journal_.emplace_back(name, found == variables_.end() ? std::nullopt : std::optional<Variable>(found->second));
  }
  return found == variables_.end() ? variables_[name] : found->second;
}

void Scope::define(const std::string& name, LoadKind kind, std::optional<Place> alias) {
  Variable& variable = change(name);
  variable.slot = function_.slot(prefix_ + name);
  variable.load = kind;
  variable.alias = alias;
}

/// Takes back what the journal holds and returns it.
Scope::Changes Scope::undo() {
  Changes changed;
  for (const auto& [name, before] : journal_) changed[name] = variables_[name];
  for (auto entry = journal_.rbegin(); entry != journal_.rend(); ++entry) {
    if (entry->second) {
      variables_[entry->first] = *entry->second;
    } else {
      variables_.erase(entry->first);
    }
  }
  return changed;
}

void Scope::look_up_first(const std::string& name) {
  const auto outer = parent_ != nullptr ? parent_->find(name) : std::nullopt;
  Variable& variable = change(name);
  variable.load = outer ? LoadKind::alias : LoadKind::resolve;
  variable.alias = outer;
}

}  // namespace ctxmgr::jinja
