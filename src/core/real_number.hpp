#pragma once
#include <optional>
#include <string_view>

namespace ctxmgr {

/// A decimal number that is the whole text ("-1.5e3"), in every locale. What is too large is infinite, what is too small is 0.
[[nodiscard]] std::optional<double> read_real(std::string_view text);

}  // namespace ctxmgr
