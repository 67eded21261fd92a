#pragma once
#include <string_view>

#include "prompts/jinja/arguments.hpp"
#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

class Renderer;

/// The variables of one run of a template or a macro. Macros made in it keep it alive.
struct Frame {
  Frame* parent = nullptr;
  std::vector<Value> slots{};
  bool captured = false;
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
struct FunctionObject final : Container {
  FunctionObject(const FunctionSpec& which, Value of) : Container(Tag::function), spec(&which), self(std::move(of)) {}
  void drop() override { self = Value::none(); }

  const FunctionSpec* spec;
  Value self;
};

}  // namespace ctxmgr::jinja
