#pragma once
#include <string_view>
#include <vector>

#include "engine/structure/atom.hpp"

namespace ctxmgr::engine {

/// Paragraphs of "Key: value" lines that begin with the same key, one after another, are records: their lines stand under
/// the first, which says whose they are, and the pieces of a long line under the short one above it as well.
void head_stanzas(std::string_view text, std::vector<Atom>& atoms);

}  // namespace ctxmgr::engine
