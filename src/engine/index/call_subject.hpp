#pragma once
#include <string_view>

#include "engine/index/term_analysis.hpp"

namespace ctxmgr::engine {

/// What a tool call is about, as far as its arguments say, so that a file that is read again by another way is
/// recognised without knowing any tool.
struct CallSubject {
  Term tool = 0;     ///< The tool; of a command line, the program.
  Term subject = 0;  ///< All strings of the arguments (paths, queries), in any order; 0: there are none.
  Term part = 0;     ///< All numbers (lines, offsets, pages); 0: there are none, and the whole is meant.
};

/// Of "tool(arguments)", with JSON arguments. A string with blanks is taken for a command line: its first word is the
/// tool, options are skipped, and words of digits are numbers ("sed -n 1,20p a.py").
[[nodiscard]] CallSubject subject_of(std::string_view call);

}  // namespace ctxmgr::engine
