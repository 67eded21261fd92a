#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr::engine {

/// "read(src/late_fee.cpp)": a call as people write it, on one line, cut after about 40 tokens.
[[nodiscard]] std::string short_call(std::string_view tool, std::string_view arguments);

/// What an artifact is called, once: the call that gave it and whether that failed, its title, or where it is from.
[[nodiscard]] std::string title_of(const Artifact& artifact);

/// Where it comes from, for who is told nothing else of it: the call that gave it, else its source. Never its id.
[[nodiscard]] std::string provenance_of(const Artifact& artifact);

}  // namespace ctxmgr::engine
