#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// A word, a number, a sign or a mix of them as a text has it, cut at blanks and at Chinese and Japanese signs.
struct FigureToken {
  std::string text;    ///< The text as written, with one spelling of blanks, dashes, apostrophes and digits.
  std::string folded;  ///< The word in lower case.
  bool capital = false;
  bool starts_sentence = false;
  bool in_heading = false;
  bool after_blank = false;
};

[[nodiscard]] std::vector<FigureToken> figure_tokens(std::string_view text);

}  // namespace ctxmgr::engine
