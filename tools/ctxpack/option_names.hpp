#pragma once
#include <string>

namespace ctxpack {

/// A message of the library with this program's options in place of the library's fields: people who start a program
/// cannot set a field.
[[nodiscard]] std::string in_options(std::string message);

}  // namespace ctxpack
