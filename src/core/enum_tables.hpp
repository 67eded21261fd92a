#pragma once
#include "core/content_format.hpp"
#include "core/enum_names.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/history.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/tool_rules.hpp"

/// \file
/// The names under which the enums of values are written to JSON, logs and stores. Frozen: names are added, never changed.
namespace ctxmgr {

template <>
struct EnumNames<Role> {
  static constexpr EnumName<Role> values[] = {{Role::system, "system"},
                                              {Role::developer, "developer"},
                                              {Role::user, "user"},
                                              {Role::assistant, "assistant"},
                                              {Role::tool, "tool"}};
};

template <>
struct EnumNames<Retention> {
  static constexpr EnumName<Retention> values[] = {
      {Retention::normal, "normal"}, {Retention::pinned, "pinned"}, {Retention::summarizable, "summarizable"}};
};

template <>
struct EnumNames<ArtifactType> {
  static constexpr EnumName<ArtifactType> values[] = {{ArtifactType::tool_result, "tool_result"},
                                                      {ArtifactType::document, "document"},
                                                      {ArtifactType::conversation, "conversation"}};
};

template <>
struct EnumNames<Trust> {
  static constexpr EnumName<Trust> values[] = {{Trust::untrusted, "untrusted"}, {Trust::trusted, "trusted"}};
};

template <>
struct EnumNames<ProcessingStrategy> {
  static constexpr EnumName<ProcessingStrategy> values[] = {{ProcessingStrategy::include_full, "include_full"},
                                                            {ProcessingStrategy::summarize, "summarize"},
                                                            {ProcessingStrategy::rag_extract, "rag_extract"},
                                                            {ProcessingStrategy::exclude, "exclude"}};
};

template <>
struct EnumNames<ContextUtilization> {
  static constexpr EnumName<ContextUtilization> values[] = {
      {ContextUtilization::low, "low"}, {ContextUtilization::medium, "medium"}, {ContextUtilization::full, "full"}};
};

template <>
struct EnumNames<ContextGoal> {
  static constexpr EnumName<ContextGoal> values[] = {{ContextGoal::planning, "planning"},
                                                     {ContextGoal::synthesis, "synthesis"}};
};

template <>
struct EnumNames<ToolRetention> {
  static constexpr EnumName<ToolRetention> values[] = {{ToolRetention::normal, "normal"},
                                                       {ToolRetention::never_cut, "never_cut"},
                                                       {ToolRetention::cut_first, "cut_first"},
                                                       {ToolRetention::keeps_latest, "keeps_latest"},
                                                       {ToolRetention::not_refetched, "not_refetched"}};
};

template <>
struct EnumNames<PlanSource> {
  static constexpr EnumName<PlanSource> values[] = {{PlanSource::none, "none"},
                                                    {PlanSource::deterministic, "deterministic"},
                                                    {PlanSource::llm, "llm"},
                                                    {PlanSource::kept, "kept"},
                                                    {PlanSource::given, "given"}};
};

template <>
struct EnumNames<NoteCode> {
  static constexpr EnumName<NoteCode> values[] = {{NoteCode::other, "other"},
                                                  {NoteCode::window_assumed, "window_assumed"},
                                                  {NoteCode::tokens_estimated, "tokens_estimated"},
                                                  {NoteCode::budget_divided, "budget_divided"},
                                                  {NoteCode::text_mended, "text_mended"},
                                                  {NoteCode::history_mended, "history_mended"},
                                                  {NoteCode::roles_inferred, "roles_inferred"},
                                                  {NoteCode::thread_state_ignored, "thread_state_ignored"},
                                                  {NoteCode::thread_began_anew, "thread_began_anew"},
                                                  {NoteCode::time_was_up, "time_was_up"},
                                                  {NoteCode::pins_released, "pins_released"},
                                                  {NoteCode::question_shortened, "question_shortened"},
                                                  {NoteCode::steps_left_out, "steps_left_out"},
                                                  {NoteCode::tools_over_budget, "tools_over_budget"},
                                                  {NoteCode::rules_unused, "rules_unused"},
                                                  {NoteCode::retrieval_lexical, "retrieval_lexical"},
                                                  {NoteCode::service_compacted, "service_compacted"},
                                                  {NoteCode::service_will_compact, "service_will_compact"},
                                                  {NoteCode::compacted, "compacted"},
                                                  {NoteCode::not_compacted, "not_compacted"},
                                                  {NoteCode::compaction_hook, "compaction_hook"},
                                                  {NoteCode::archive_failed, "archive_failed"},
                                                  {NoteCode::extracts_forgotten, "extracts_forgotten"},
                                                  {NoteCode::summaries_not_kept, "summaries_not_kept"},
                                                  {NoteCode::summary_lost, "summary_lost"},
                                                  {NoteCode::media_left_out, "media_left_out"},
                                                  {NoteCode::plan_not_kept, "plan_not_kept"},
                                                  {NoteCode::counter_faulty, "counter_faulty"},
                                                  {NoteCode::thread_pruned, "thread_pruned"},
                                                  {NoteCode::rows_not_read, "rows_not_read"},
                                                  {NoteCode::records_left_out, "records_left_out"}};
};

template <>
struct EnumNames<ReasoningEventType> {
  static constexpr EnumName<ReasoningEventType> values[] = {
      {ReasoningEventType::iteration_start, "iteration_start"},
      {ReasoningEventType::planning, "planning"},
      {ReasoningEventType::tool_execution_start, "tool_execution_start"},
      {ReasoningEventType::tool_result, "tool_result"},
      {ReasoningEventType::iteration_complete, "iteration_complete"},
      {ReasoningEventType::reasoning_complete, "reasoning_complete"},
      {ReasoningEventType::external_reasoning, "external_reasoning"},
      {ReasoningEventType::error, "error"},
      {ReasoningEventType::unknown, "unknown"}};
};

template <>
struct EnumNames<PartKind> {
  static constexpr EnumName<PartKind> values[] = {
      {PartKind::text, "text"}, {PartKind::image, "image"}, {PartKind::file, "file"}, {PartKind::other, "other"}};
};

}  // namespace ctxmgr
