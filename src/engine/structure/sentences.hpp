#pragma once
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// What sentences are wanted for.
enum class SentenceUse {
  whole,   ///< What is quoted: where a full stop may end one or not, two stay together.
  parts,   ///< What is judged: two are taken apart there.
  pieces,  ///< What is searched: as `whole`, but a small letter may begin one, and an end of a line is a blank.
};

/// The sentences of a text, with their closing marks. Views into the text; any bytes will do.
[[nodiscard]] std::vector<std::string_view> sentences_of(std::string_view text,
                                                         SentenceUse wanted = SentenceUse::whole);

/// Whether a sentence ends with a question mark of any script, behind which quotes and brackets may close.
[[nodiscard]] bool is_question(std::string_view sentence);

}  // namespace ctxmgr::engine
