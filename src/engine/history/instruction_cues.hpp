#pragma once
#include <string>
#include <vector>

namespace ctxmgr::engine {

using Phrases = std::vector<std::string>;

/// Words by which people tell an assistant how to go on, in one language: lower case, no punctuation. " * " in a phrase
/// stands for any words, "~" before it for the beginning of its first word. Where words are not set apart by blanks, a
/// phrase may stand inside of others. "-" behind a phrase at the beginning of a clause stands for the rest of its word.
struct InstructionCues {
  bool has_blanks = true;
  bool imperatives_are_stems = false;  ///< Words may go on after an imperative.
  bool imperative_is_last = false;     ///< An imperative stands at the end of its sentence.
  Phrases always_instructs{};          ///< They instruct wherever they stand: "I prefer", "when I ask".
  Phrases standing{};                  ///< They instruct unless the clause is about somebody else: "from now on".
  Phrases begins{};                    ///< They make a clause that begins with them an instruction: "never", "stop".
  Phrases revokes{};                   ///< They do so at the beginning of a clause, whatever follows: "forget".
  Phrases binds{};                     ///< They bind whoever it is said to, if nobody else says so: "must not be".
  Phrases conditions{};                ///< A clause that begins with these says when what is told holds: "if".
  Phrases closes{};                    ///< They make a clause that ends with them an instruction.
  Phrases frequency{};                 ///< They make an imperative one that lasts: "always", "instead".
  Phrases imperatives{};               ///< They may begin a clause: what assistants are told to do.
  Phrases imperative_endings{};        ///< Words that are imperatives, and endings that make a word one.
  Phrases duties{};                    ///< They put a duty on the assistant: "you must".
  Phrases politeness{};                ///< They say nothing at the beginning of a clause: "please", "and".
  Phrases consequences{};              ///< "So": an imperative that follows from a fact lasts as long as the fact.
  Phrases first_person{};              ///< They speak of the writer: "I".
  Phrases others{};                    ///< A clause that begins with these is about somebody else: "he", "the".
  Phrases statement_endings{};         ///< A clause that ends so tells and does not ask, where the verb comes last.
  Phrases questions{};                 ///< A clause with one of these asks, where no mark says so.
  Phrases reports{};                   ///< What follows are somebody else's words: "says".
};

/// English, German, Spanish, Romanian, Turkish, Hindi, Russian, Greek, Arabic, Vietnamese, Chinese, Thai, French,
/// Portuguese, Italian, Dutch, Polish, Japanese and Korean.
[[nodiscard]] const std::vector<InstructionCues>& instruction_cues();

}  // namespace ctxmgr::engine
