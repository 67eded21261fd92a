#include <iterator>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/methods.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {
namespace {

Value cycle(Renderer&, const Value& self, Arguments& arguments) {
  if (!arguments.keywords.empty()) refuse("cycle() takes no named arguments");
  if (arguments.positional.empty()) refuse("cycle() needs items");
  const auto index = static_cast<std::size_t>(self.as<LoopObject>().index0);
  return arguments.positional[index % arguments.positional.size()];
}

constexpr FunctionSpec loop_table[] = {
    {"cycle", {"*"}, cycle},
};

}  // namespace

FunctionTable loop_methods() { return {std::begin(loop_table), std::end(loop_table)}; }

}  // namespace ctxmgr::jinja
