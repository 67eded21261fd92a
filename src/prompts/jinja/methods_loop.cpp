#include <iterator>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/methods.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {
namespace {

Value cycle(Renderer&, const Value& self, Arguments& arguments) {
  if (!arguments.keywords.empty()) refuse("cycle() takes no named arguments");
  if (arguments.positional.empty()) refuse("cycle() needs items");
  const auto index = static_cast<std::size_t>(self.as<LoopObject>().index0);
  return arguments.positional[index % arguments.positional.size()];
}

Value changed(Renderer& renderer, const Value& self, Arguments& arguments) {
  if (!arguments.keywords.empty()) refuse("changed() takes no named arguments");
  auto& loop = self.as<LoopObject>();
  Value now = make_tuple(renderer.heap(), arguments.positional);
  if (loop.last_changed.is(Tag::tuple) && equals(renderer.heap(), loop.last_changed, now)) return Value::boolean(false);
  loop.last_changed = std::move(now);
  return Value::boolean(true);
}

constexpr FunctionSpec methods[] = {
    {"cycle", {"*"}, cycle},
    {"changed", {"*"}, changed},
};

}  // namespace

FunctionTable loop_methods() { return {std::begin(methods), std::end(methods)}; }

}  // namespace ctxmgr::jinja
