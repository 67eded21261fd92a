#pragma once
#include <string_view>

#include "prompts/jinja/arguments.hpp"

namespace ctxmgr::jinja {

class Renderer;

/// A test: its first argument is the value that it is applied to.
struct TestSpec {
  std::string_view name;
  Parameters parameters;
  bool (*apply)(Renderer&, Arguments&);
};

/// Null where there is none of that name.
[[nodiscard]] const TestSpec* find_test(std::string_view name);

}  // namespace ctxmgr::jinja
