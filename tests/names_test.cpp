#include <gtest/gtest.h>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/tool_rules.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/selection.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/conversation.hpp"

namespace ctxmgr::test {
namespace {

TEST(NamesTest, EveryEnumeratorHasItsOwnName) {
  EXPECT_EQ(to_string(Role::system), "system");
  EXPECT_EQ(to_string(Role::developer), "developer");
  EXPECT_EQ(to_string(Role::user), "user");
  EXPECT_EQ(to_string(Role::assistant), "assistant");
  EXPECT_EQ(to_string(Role::tool), "tool");
  EXPECT_EQ(to_string(Retention::normal), "normal");
  EXPECT_EQ(to_string(Retention::pinned), "pinned");
  EXPECT_EQ(to_string(Retention::summarizable), "summarizable");
  EXPECT_EQ(to_string(PartKind::text), "text");
  EXPECT_EQ(to_string(PartKind::image), "image");
  EXPECT_EQ(to_string(PartKind::file), "file");
  EXPECT_EQ(to_string(PartKind::other), "other");
  EXPECT_EQ(to_string(ContextUtilization::low), "low");
  EXPECT_EQ(to_string(ContextUtilization::medium), "medium");
  EXPECT_EQ(to_string(ContextUtilization::full), "full");
  EXPECT_EQ(to_string(PlanSource::none), "none");
  EXPECT_EQ(to_string(PlanSource::deterministic), "deterministic");
  EXPECT_EQ(to_string(PlanSource::llm), "llm");
  EXPECT_EQ(to_string(PlanSource::kept), "kept");
  EXPECT_EQ(to_string(PlanSource::given), "given");
  EXPECT_EQ(to_string(ArtifactType::tool_result), "tool_result");
  EXPECT_EQ(to_string(ArtifactType::document), "document");
  EXPECT_EQ(to_string(ArtifactType::conversation), "conversation");
  EXPECT_EQ(to_string(ContentFormat::automatic), "automatic");
  EXPECT_EQ(to_string(ContentFormat::text), "text");
  EXPECT_EQ(to_string(ContentFormat::markdown), "markdown");
  EXPECT_EQ(to_string(ContentFormat::json), "json");
  EXPECT_EQ(to_string(ContentFormat::code), "code");
  EXPECT_EQ(to_string(ContentFormat::log), "log");
  EXPECT_EQ(to_string(ContentFormat::diff), "diff");
  EXPECT_EQ(to_string(ContentFormat::table), "table");
  EXPECT_EQ(to_string(Trust::untrusted), "untrusted");
  EXPECT_EQ(to_string(Trust::trusted), "trusted");
  EXPECT_EQ(to_string(ReasoningEventType::iteration_start), "iteration_start");
  EXPECT_EQ(to_string(ReasoningEventType::planning), "planning");
  EXPECT_EQ(to_string(ReasoningEventType::tool_execution_start), "tool_execution_start");
  EXPECT_EQ(to_string(ReasoningEventType::tool_result), "tool_result");
  EXPECT_EQ(to_string(ReasoningEventType::iteration_complete), "iteration_complete");
  EXPECT_EQ(to_string(ReasoningEventType::reasoning_complete), "reasoning_complete");
  EXPECT_EQ(to_string(ReasoningEventType::external_reasoning), "external_reasoning");
  EXPECT_EQ(to_string(ReasoningEventType::error), "error");
  EXPECT_EQ(to_string(ReasoningEventType::unknown), "unknown");
  EXPECT_EQ(to_string(ContextGoal::planning), "planning");
  EXPECT_EQ(to_string(ContextGoal::synthesis), "synthesis");
  EXPECT_EQ(to_string(ConversationStatus::active), "active");
  EXPECT_EQ(to_string(ConversationStatus::archived), "archived");
  EXPECT_EQ(to_string(EmbeddingInput::query), "query");
  EXPECT_EQ(to_string(EmbeddingInput::passage), "passage");
  EXPECT_EQ(to_string(LlmPurpose::host), "host");
  EXPECT_EQ(to_string(LlmPurpose::context_planning), "context_planning");
  EXPECT_EQ(to_string(LlmPurpose::summarization), "summarization");
  EXPECT_EQ(to_string(FinishReason::stop), "stop");
  EXPECT_EQ(to_string(FinishReason::length), "length");
  EXPECT_EQ(to_string(FinishReason::tool_calls), "tool_calls");
  EXPECT_EQ(to_string(FinishReason::refusal), "refusal");
  EXPECT_EQ(to_string(FinishReason::other), "other");
  EXPECT_EQ(to_string(ArtifactView::none), "none");
  EXPECT_EQ(to_string(ArtifactView::extract), "extract");
  EXPECT_EQ(to_string(ArtifactView::dense), "dense");
  EXPECT_EQ(to_string(ArtifactView::full), "full");
  EXPECT_EQ(to_string(PlannerMode::automatic), "automatic");
  EXPECT_EQ(to_string(PlannerMode::llm), "llm");
  EXPECT_EQ(to_string(PlannerMode::llm_or_fail), "llm_or_fail");
  EXPECT_EQ(to_string(PlannerMode::deterministic), "deterministic");
  EXPECT_EQ(to_string(PlannerMode::none), "none");
  EXPECT_EQ(to_string(Oversized::fail), "fail");
  EXPECT_EQ(to_string(Oversized::shrink), "shrink");
  EXPECT_EQ(to_string(Oversized::shrink_and_release), "shrink_and_release");
  EXPECT_EQ(to_string(Access::none), "none");
  EXPECT_EQ(to_string(Access::read), "read");
  EXPECT_EQ(to_string(Access::read_write), "read_write");
  EXPECT_EQ(to_string(ConversationContext::stateless), "stateless");
  EXPECT_EQ(to_string(ConversationContext::new_conversation), "new_conversation");
  EXPECT_EQ(to_string(ConversationContext::continuing), "continuing");
  EXPECT_EQ(to_string(CacheControl::keep), "keep");
  EXPECT_EQ(to_string(CacheControl::place), "place");
  EXPECT_EQ(to_string(WireForm::openai), "openai");
  EXPECT_EQ(to_string(WireForm::anthropic), "anthropic");
  EXPECT_EQ(to_string(WireForm::responses), "responses");
}

TEST(NamesTest, CodesOfNotesKeepTheirNamesAndNumbers) {
  const char* const names[] = {"other",
                               "window_assumed",
                               "tokens_estimated",
                               "budget_divided",
                               "text_mended",
                               "history_mended",
                               "roles_inferred",
                               "thread_state_ignored",
                               "thread_began_anew",
                               "time_was_up",
                               "pins_released",
                               "question_shortened",
                               "steps_left_out",
                               "tools_over_budget",
                               "rules_unused",
                               "retrieval_lexical",
                               "service_compacted",
                               "service_will_compact",
                               "compacted",
                               "not_compacted",
                               "compaction_hook",
                               "archive_failed",
                               "extracts_forgotten",
                               "summaries_not_kept",
                               "summary_lost",
                               "media_left_out",
                               "plan_not_kept",
                               "counter_faulty",
                               "thread_pruned",
                               "rows_not_read",
                               "records_left_out"};
  int number = 0;
  for (const auto* name : names) EXPECT_EQ(to_string(static_cast<NoteCode>(number++)), name);
  EXPECT_EQ(to_string(static_cast<NoteCode>(number)), "unknown");
}

TEST(NamesTest, WhatIsNoneIsUnknown) {
  EXPECT_EQ(to_string(static_cast<Role>(99)), "unknown");
  EXPECT_EQ(to_string(static_cast<LlmPurpose>(99)), "unknown");
}

}  // namespace
}  // namespace ctxmgr::test
