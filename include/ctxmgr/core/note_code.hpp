#pragma once
#include <string_view>

#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// The subject of a note of the receipt, whatever its words are. Stored by name: frozen.
enum class NoteCode {
  other,
  window_assumed,        ///< The model's window is not known.
  tokens_estimated,      ///< No counter counts this model's text exactly.
  budget_divided,        ///< The service counts more tokens than the counter (`BudgetOptions::calibration`).
  text_mended,           ///< The request's text had broken characters.
  history_mended,        ///< The service would not have taken the messages as they were.
  roles_inferred,        ///< Messages of the user are taken for something else: output, repeats, reminders.
  thread_state_ignored,  ///< Another version wrote the thread state.
  thread_began_anew,     ///< The messages before the thread state have changed.
  time_was_up,           ///< The deadline came before all artifacts were read.
  pins_released,         ///< Pinned messages gave way.
  question_shortened,    ///< The last user message did not fit whole.
  steps_left_out,        ///< The oldest steps of the turn did not fit.
  tools_over_budget,     ///< Tools that have to be sent take more than `tools_budget`.
  rules_unused,          ///< Tool rules held for nothing.
  retrieval_lexical,     ///< The embedder failed.
  service_compacted,     ///< The service has compacted the thread by itself.
  service_will_compact,  ///< The service was asked to compact by itself.
  compacted,             ///< This build has compacted the thread.
  not_compacted,         ///< A compaction was asked for and could not be made.
  compaction_hook,       ///< What the host's hook said or did could not be used.
  archive_failed,        ///< Texts could not be kept, so nothing refers to them.
  extracts_forgotten,    ///< Too many extracts for the thread state.
  summaries_not_kept,    ///< There is no scope under which the store would keep a summary.
  summary_lost,          ///< The cache has lost a summary that the notes had.
  media_left_out,        ///< Older messages are sent without their images and files.
  plan_not_kept,         ///< The model's plan is too long for the thread state.
  counter_faulty,        ///< The token counter gave counts that no text has.
  thread_pruned,         ///< A workflow's thread was pruned before the build.
  rows_not_read,         ///< A workflow's oldest rows were not read.
  records_left_out,      ///< A workflow keeps this receipt without some records.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(NoteCode value);

}  // namespace ctxmgr
