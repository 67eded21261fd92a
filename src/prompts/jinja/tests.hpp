#pragma once
#include <string>
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
/// A test that jinja2 has and this engine does not.
[[nodiscard]] bool is_unsupported_test(std::string_view name);
/// What to say of a name that `find_test` does not know: jinja2's own tests are told from misspelt ones.
[[nodiscard]] std::string why_no_test(std::string_view name);

}  // namespace ctxmgr::jinja
