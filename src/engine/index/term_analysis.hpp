#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/index/languages.hpp"

struct sb_stemmer;

namespace ctxmgr::engine {

/// Hash of a folded, stemmed word: equal for all forms of one word, in every process.
using Term = std::uint64_t;

/// What a term is good for besides being matched.
enum TermFlags : std::uint8_t {
  term_plain = 0,
  term_identifier = 1,  ///< A name made of more than letters: `order_12`, `HAT041`, `a/b.cpp`, a long number.
  term_part = 2,        ///< A piece of an identifier that also stands for itself.
  term_capital = 4,     ///< Written with a capital first letter.
  term_function = 8,    ///< A function word of the language.
  term_number = 16,     ///< Begins with a digit.
};

/// An occurrence of a term.
struct TermOccurrence {
  Term term = 0;
  std::uint32_t offset = 0;  ///< Byte where the word starts.
  std::uint8_t flags = 0;
};

/// Cuts text into terms: Unicode words folded by utf8proc and stemmed by libstemmer; identifiers whole and split at case
/// changes, digits and punctuation; CJK and other scripts without spaces as pairs of characters. Any bytes will do.
///
/// Thread-safety: none; it remembers the words that it has seen.
class TermAnalyzer {
 public:
  TermAnalyzer();
  ~TermAnalyzer();
  TermAnalyzer(TermAnalyzer&&) noexcept;
  TermAnalyzer& operator=(TermAnalyzer&&) noexcept;

  /// Appends the terms of `text`, in order, `base` added to their offsets.
  void analyze(std::string_view text, Language language, std::size_t base, std::vector<TermOccurrence>& out);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

/// The hash behind `Term`.
[[nodiscard]] Term hash_term(std::string_view folded_stem);

}  // namespace ctxmgr::engine
