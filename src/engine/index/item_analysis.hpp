#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/timestamp.hpp"
#include "engine/index/call_subject.hpp"
#include "engine/index/term_analysis.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {

/// Who wrote an item, as far as choosing goes.
enum class Speaker : std::uint8_t { document, user, assistant, tool };

/// What the index has to know of an item. The views are read during the analysis only.
struct ItemText {
  std::string_view text{};   ///< The text as it would go into the context: for a message "role: content" and its calls.
  std::string_view title{};  ///< Document title, file name; indexed, never part of the text.
  std::string_view call{};   ///< What a tool's result answers: name and arguments. The same call later supersedes it.
  ContentFormat format = ContentFormat::automatic;
  Speaker speaker = Speaker::document;
  Trust trust = Trust::untrusted;
  std::optional<Language> language{};   ///< Nothing: it is detected.
  std::vector<TextSection> sections{};  ///< Stretches of a message that its speaker does not say himself.
  std::size_t label_bytes = 0;          ///< The length of a message's "role: " at the start of `text`, blank included.
  std::optional<Timestamp> time{};      ///< When it was said: a question that names the day or the month finds it.
};

/// Consecutive atoms that are searched as one, at most about 400 tokens.
struct Chunk {
  std::uint32_t first_atom = 0;
  std::uint32_t last_atom = 0;  ///< One past.
  float length = 0;             ///< Its length in terms, as BM25 counts it.
};

struct Posting {
  std::uint32_t chunk = 0;
  float frequency = 0;
};

/// Everything about one item that does not depend on a query, without its text. Immutable; a function of `ItemText`.
struct ItemAnalysis {
  ContentFormat format = ContentFormat::text;
  Speaker speaker = Speaker::document;
  Trust trust = Trust::untrusted;
  Language language = Language::english;
  std::uint32_t text_bytes = 0;
  std::uint32_t label_bytes = 0;
  bool short_turn = false;  ///< Said by a user or an assistant in a few words: one piece.
  Term call = 0;            ///< 0: none.
  CallSubject subject{};    ///< What the call is about.

  std::vector<Atom> atoms;
  std::vector<Chunk> chunks;

  std::vector<Term> terms;                   ///< Distinct, ascending.
  std::vector<std::uint32_t> posting_begin;  ///< Where the postings of each term begin, and where the last end.
  std::vector<Posting> postings;             ///< Chunks ascending within a term.

  std::vector<std::uint32_t> tokens;            ///< Positions in `terms`, in reading order: label, then atom by atom.
  std::vector<std::uint8_t> token_flags;        ///< `TermFlags` of each.
  std::vector<std::uint32_t> atom_token_begin;  ///< Where the tokens of each atom begin, and where the last end.
  std::vector<Term> title;                      ///< Terms of the title, in order.
  std::vector<Term> asked;  ///< Terms of the call that the text does not have, and of its time; searched like a title.

  /// A brace alone on its line has none.
  [[nodiscard]] bool has_words(std::size_t atom) const { return atom_token_begin[atom] < atom_token_begin[atom + 1]; }

  [[nodiscard]] std::size_t bytes() const;
};

/// Linear in the text. Texts above 4 GiB are cut there.
[[nodiscard]] ItemAnalysis analyze_item(const ItemText& item, TermAnalyzer& analyzer);

}  // namespace ctxmgr::engine
