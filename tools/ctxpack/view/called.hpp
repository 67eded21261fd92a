#pragma once
#include <string>
#include <string_view>

namespace ctxpack::view {

/// What a result came from: "read_file harbour.md" of `read_file({"path":"harbour.md"})`. Text of another form stays as it is.
[[nodiscard]] std::string called(std::string_view source);

}  // namespace ctxpack::view
