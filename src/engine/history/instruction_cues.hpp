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
  bool imperatives_are_stems = false;  ///< Words may go on after them.
  bool imperative_is_last = false;     ///< In its sentence.
  Phrases always_instructs{};          ///< Wherever they stand: "I prefer", "when I ask".
  Phrases standing{};                  ///< "From now on": unless the clause is about somebody else.
  Phrases begins{};                    ///< At the beginning of a clause they make it an instruction: "never", "stop".
  Phrases revokes{};                   ///< Likewise, whatever follows: "forget".
  Phrases closes{};                    ///< Likewise, at the end of a clause.
  Phrases frequency{};                 ///< Make an imperative one that lasts: "always", "instead".
  Phrases imperatives{};               ///< May begin a clause: what assistants are told to do.
  Phrases imperative_endings{};        ///< Words, and endings of words, that are imperatives.
  Phrases duties{};                    ///< "You must".
  Phrases politeness{};                ///< Says nothing at the beginning of a clause: "please", "and".
  Phrases consequences{};              ///< "So": what follows a fact and is an imperative lasts as long as the fact.
  Phrases first_person{};              ///< "I".
  Phrases others{};                    ///< A clause that begins with these is about somebody else: "he", "the".
  Phrases statement_endings{};         ///< Of clauses that tell instead of ask, where the verb comes last.
  Phrases questions{};                 ///< Of clauses that ask, where no mark says so.
  Phrases reports{};                   ///< Somebody else's words: "says".
};

/// English, German, Spanish, Romanian, Turkish, Hindi, Russian, Greek, Arabic, Vietnamese, Chinese, Thai, French,
/// Portuguese, Italian, Dutch, Polish, Japanese and Korean.
[[nodiscard]] const std::vector<InstructionCues>& instruction_cues();

}  // namespace ctxmgr::engine
