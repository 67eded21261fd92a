#pragma once
#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

/// Decides for every name of a program where its value lives and what each scope does on entry. The rules are those of
/// jinja2's compiler (its idtracking module), some of which surprise: a name that a template sets anywhere on its top
/// level is undefined before, even where the data has it; a name set in one branch of an `if` is looked up first.
void bind_names(Program& program);

}  // namespace ctxmgr::jinja
