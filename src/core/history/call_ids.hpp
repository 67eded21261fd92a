#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/history/history_demands.hpp"

namespace ctxmgr {

[[nodiscard]] bool has_form(std::string_view id, CallIdForm form);

/// An id of this form for a call that was written with another, or with one that is taken. Another one for each number.
[[nodiscard]] std::string made_call_id(std::string_view written, std::size_t number, CallIdForm form);

}  // namespace ctxmgr
