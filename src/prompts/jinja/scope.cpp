#include "prompts/jinja/scope.hpp"

#include <utility>

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

/// What jinja2 gives a macro beside its parameters.
bool is_special(const std::string& name) { return name == "caller" || name == "kwargs" || name == "varargs"; }

}  // namespace

void add_use(Uses& uses, const std::string& name, Use use) {
  Use& known = uses[name];
  if (known == Use::none) {
    known = use;
  } else if (known == Use::read && use != Use::read) {
    known = Use::read_then_set;
  }
}

void add_branches(Uses& uses, const std::vector<Uses>& branches) {
  std::map<std::string, std::size_t> times_set;
  for (const Uses& branch : branches) {
    for (const auto& [name, use] : branch) times_set[name] += use == Use::read ? 0 : 1;
  }
  for (const auto& [name, times] : times_set) {
    const Use some = times == 0 ? Use::read : Use::read_then_set;
    add_use(uses, name, times == branches.size() ? branches.back().at(name) : some);
  }
}

Scope::Scope(Program& program, Function& function, const Scope* parent, const std::vector<std::string>& parameters,
             const Uses& uses)
    : function_(function), parent_(parent) {
  for (const std::string& name : parameters) define(name, {LoadKind::parameter, 0, {}, {}});
  for (const auto& [name, use] : uses) look_up(program, name, use);
}

Place Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
    if (const auto found = scope->slots_.find(name); found != scope->slots_.end()) {
      return {&scope->function_, found->second};
    }
  }
  return {};
}

void Scope::look_up(Program& program, const std::string& name, Use use) {
  if (slots_.count(name) != 0) return;
  const auto outer = parent_ != nullptr ? parent_->find(name) : Place();
  const bool leaves_macro = function_.depth > 0 && (!outer || outer.function != &function_);
  if (leaves_macro && is_special(name) && use != Use::set) {
    refuse("'" + name + "' of a macro is not supported", function_.offset);
  }
  if (outer) {
    if (use != Use::read) define(name, {LoadKind::alias, 0, outer.address(function_), {}});
  } else if (use == Use::set) {
    define(name, {LoadKind::undefined, 0, {}, {}});
  } else {
    if (name == "self") refuse("'self' is not supported");
    program.looked_up.insert(name);
    define(name, {LoadKind::resolve, 0, {}, program.constant(name)});
  }
}

void Scope::define(const std::string& name, Load load) {
  if (!slots_.emplace(name, function_.slots).second) return;
  if (function_.slots > 60'000) exceed("the template has too many variables");
  load.slot = function_.slots++;
  loads_.push_back(load);
}

}  // namespace ctxmgr::jinja
