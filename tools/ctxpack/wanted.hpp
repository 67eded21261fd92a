#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs.hpp"

/// \file
/// Texts that the requests of a run should hold: each measure of a simulation is a list of them.
namespace ctxpack {

/// In the order of the table's columns.
enum class Measure {
  literals,
  far_literals,
  words,
  far_words,
  outcomes,
  texts,
  demands,
  rules,
  task_recall,
  asked_back,
  asked_back_next
};

enum class Look {
  name,  ///< The one text stands in a message with no letter, digit or _ beside it.
  all,   ///< The share of the texts that stand in some message, white space made one blank, counts.
  near,  ///< One message has all texts, near the last of them.
  any    ///< One message has one of the texts near the last of them, or is the result that the texts are from.
};

constexpr std::size_t no_message = static_cast<std::size_t>(-1);

/// Something that a request should hold.
struct Wanted {
  Measure measure = Measure::literals;
  Look look = Look::name;
  std::vector<std::string> texts{};  ///< But for names: flat.
  std::string form{};                ///< Figures are kept by it, too.
  std::size_t within = 0;            ///< Near: at most that many characters before or after.
  std::string question{};            ///< The user's message of exactly these words does not count.
  std::size_t result = no_message;   ///< Index in the run of the message that counts as it is.
};

/// What is wanted, and of which requests: those before the messages of a run, by index.
struct Wants {
  explicit Wants(std::size_t messages = 0) : by_step(messages) {}

  const Wanted* add(Wanted wanted) { return &all.emplace_back(std::move(wanted)); }

  std::deque<Wanted> all{};
  std::vector<std::vector<const Wanted*>> by_step;
};

/// All that the requests of this run should hold. A question, a rule, and what a task asks for count where the thread is
/// over the budget and the text lies further back than half of it: no tail of the thread keeps that for certain.
[[nodiscard]] Wants wanted_of(const RecordedRun& run, std::int64_t budget);

/// What is compared: escapes of JSON undone, white space as one blank.
[[nodiscard]] std::string flat(std::string_view text);

/// Content, and the calls with their arguments, flat.
[[nodiscard]] std::string flat_text(const ctxmgr::ConversationMessage& message);

/// Whether a flat text has one of the wanted texts but the last.
[[nodiscard]] bool has_any(const Wanted& wanted, std::string_view flat_text);

/// Whether a flat text has the wanted texts near the last of them.
[[nodiscard]] bool has_near(const Wanted& wanted, const std::string& flat_text);

}  // namespace ctxpack
