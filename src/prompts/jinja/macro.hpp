#pragma once
#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/functions.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

/// The variables of one run of a template or a macro.
struct Frame final : Object {
  Frame(Frame* around, std::size_t size) : Object(Tag::missing), parent(around), slots(size) {}

  Frame* parent;
  std::vector<Value> slots;
};

struct MacroObject final : Object {
  MacroObject(const Statement& definition, Frame& around) : Object(Tag::macro), node(&definition), frame(&around) {}

  const Statement* node;
  Frame* frame;
};

/// A global function, or a method with the value that it belongs to; missing: a global one.
struct FunctionObject final : Object {
  FunctionObject(const FunctionSpec& which, Value of) : Object(Tag::function), spec(&which), self(of) {}

  const FunctionSpec* spec;
  Value self;
};

}  // namespace ctxmgr::jinja
