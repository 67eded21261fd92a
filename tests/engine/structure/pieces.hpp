#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {

/// The text of every atom.
inline std::vector<std::string> pieces_of(std::string_view text, const std::vector<Atom>& atoms) {
  std::vector<std::string> pieces;
  for (const Atom& atom : atoms) pieces.emplace_back(text.substr(atom.begin, atom.end - atom.begin));
  return pieces;
}

}  // namespace ctxmgr::engine
