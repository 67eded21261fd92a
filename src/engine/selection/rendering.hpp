#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/selection.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Marks for which atoms of an item are chosen.
using AtomSet = std::vector<char>;

inline constexpr std::size_t longest_shown_heading = 100;  ///< bytes

struct RenderedText {
  std::string text;
  std::vector<TextSpan> spans;
};

/// Calls `visit` with the frames and the headings that atom `a` cannot do without; it says whether to go on upwards.
template <class Visit>
void for_each_frame(const ItemAnalysis& item, std::size_t a, Visit visit) {
  const std::vector<Atom>& atoms = item.atoms;
  for (std::uint32_t open = atoms[a].open; open != no_atom && visit(open); open = atoms[open].open) {
  }
  for (std::uint32_t h = atoms[a].heading; h != no_atom; h = atoms[h].heading)
    if (atoms[h].end - atoms[h].begin <= longest_shown_heading) visit(h);
  if (atoms[a].close != no_atom) visit(atoms[a].close);
}

/// The first atom under a heading of a text that is neither heading nor frame; `no_atom` where there is none. A line that
/// opens a block of code says something by itself.
[[nodiscard]] std::size_t first_below(const ItemAnalysis& item, std::size_t a);

/// Adds the frames and the heading that atom `a` cannot do without.
void add_frames(const ItemAnalysis& item, std::size_t a, AtomSet& chosen);

/// Adds the frames (opening and closing fence, header row) that chosen atoms cannot do without.
void complete_frames(const ItemAnalysis& item, AtomSet& chosen);

/// The chosen atoms as text: the item's label, then the atoms in order; what lies between two neighbours is copied from
/// the source, and "…" stands wherever something is left out. All atoms chosen: the text as it is.
[[nodiscard]] RenderedText render_atoms(std::string_view text, const ItemAnalysis& item, const AtomSet& chosen);

/// Whether an atom reports a failure: it names an error, an exception, a panic, a failed check or a traceback.
[[nodiscard]] bool reports_error(std::string_view atom);

/// The same of a member of JSON: `"error": null` reports none.
[[nodiscard]] bool reports_json_error(std::string_view atom);

}  // namespace ctxmgr::engine
