#pragma once
#include <string_view>

#include "prompts/jinja/arguments.hpp"
#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

class Renderer;

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

using NativeFunction = Value (*)(Renderer&, const Value& self, Arguments&);

struct FunctionSpec {
  std::string_view name;
  Parameters parameters{};
  NativeFunction call = nullptr;  ///< Null: exists in Python, is not supported here.
  Cost cost = Cost::texts;        ///< Of a text's method; others say it themselves.
};

/// A global function, or a method with the value that it belongs to.
struct FunctionObject final : Object {
  FunctionObject(const FunctionSpec& which, Value of) : Object(Tag::function), spec(&which), self(std::move(of)) {}

  const FunctionSpec* spec;
  Value self;
};

}  // namespace ctxmgr::jinja
