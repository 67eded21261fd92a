#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// The first statement of a summary that turns one of its source around: it rises where the source falls, or a "not" is
/// gone or is new. Empty: there is none. Clauses are compared that share most of their words; thirteen languages. Pure.
[[nodiscard]] std::string turned_around(std::string_view summary, std::string_view source);

}  // namespace ctxmgr::engine
