#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/words/figure_words.hpp"

namespace ctxmgr::engine {

/// A day, a month or a year; 0 is what the text does not say.
struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
};

/// A number, a date or a time of day, as a text has it.
struct Figure {
  std::string text;            ///< The text as written, folded.
  std::vector<double> values;  ///< Every reading: "1.234" is 1234 or 1.234; a time of day is its minutes.
  MeasureUnit unit;            ///< `none` where the text names none.
  std::vector<Date> dates;     ///< Every reading of a date; then `values` is empty.
  bool is_time = false;        ///< A time of day or another figure with colons.
  bool is_sure = true;         ///< False for words that are numbers in some languages and other words in others.
  std::vector<Figure> parts;   ///< "9-17": what it is made of; says the same together.
};

/// A word of a text that is no figure.
struct NameInText {
  std::string text;  ///< The text as written.
  std::string folded;
  bool capital = false;  ///< Its first letter is a capital.
  bool starts_sentence = false;
  bool in_heading = false;  ///< It stands in a line that is marked as a heading or ends with a colon.
  bool is_exact = false;    ///< An identifier, a path, a version: letters with digits, signs or capitals inside.
};

struct Figures {
  std::vector<Figure> figures;
  std::vector<NameInText> names;
  std::string folded;  ///< The whole text, for identifiers.
};

/// What a text says in figures and names, in whatever of the known languages it is written. Pure.
[[nodiscard]] Figures read_figures(std::string_view text);

}  // namespace ctxmgr::engine
