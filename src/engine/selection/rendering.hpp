#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/retriever.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {

/// Marks for which atoms of an item are chosen.
using AtomSet = std::vector<char>;

struct RenderedText {
  std::string text;
  std::vector<TextSpan> spans;
};

/// Adds the frames and the heading that atom `a` cannot do without.
void add_frames(const ItemAnalysis& item, std::size_t a, AtomSet& chosen);

/// Adds the frames (opening and closing fence, header row) that chosen atoms cannot do without.
void complete_frames(const ItemAnalysis& item, AtomSet& chosen);

/// The chosen atoms as text: the item's label, then the atoms in order; what lies between two neighbours is copied from
/// the source, and "…" stands wherever something is left out. All atoms chosen: the text as it is.
[[nodiscard]] RenderedText render_atoms(std::string_view text, const ItemAnalysis& item, const AtomSet& chosen);

/// Copies bytes [begin, end) of the source.
void append_span(std::string_view text, std::size_t begin, std::size_t end, RenderedText& out);

/// The item's label, if any. `from_start`: its first atom follows, so they join as in the source.
void append_label(std::string_view text, const ItemAnalysis& item, bool from_start, RenderedText& out);

/// Whether an atom reports a failure: it names an error, an exception, a panic, a failed check or a traceback.
[[nodiscard]] bool reports_error(std::string_view atom);

/// The same of a member of JSON: `"error": null` reports none.
[[nodiscard]] bool reports_json_error(std::string_view atom);

}  // namespace ctxmgr::engine
