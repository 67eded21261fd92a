#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/history.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/tool_rules.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"

namespace ctxmgr {

/// Which model does what: the primary answers, cheap ones plan and summarise. A plain value: to override a model for
/// one request, set its member. An empty name means the client's own model.
struct ModelConfig {
  std::string primary{};
  std::string context_planner = "gpt-4o-mini";
  std::string summarizer = "gpt-4o-mini";

  /// The request's model, and the other two from `defaults`.
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary, const ModelConfig& defaults);
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary);

  /// The same, with CONTEXT_PLANNER_MODEL and SUMMARIZER_MODEL where they are set and not empty.
  [[nodiscard]] CTXMGR_API static ModelConfig from_environment(std::string primary = {});

  /// One model for everything, by the name under which a local server or a model in this process knows it.
  [[nodiscard]] CTXMGR_API static ModelConfig single(const std::string& model);

  /// Whether the primary's input price exceeds the threshold; false where the catalogue has no price for it.
  [[nodiscard]] CTXMGR_API bool is_expensive_primary(const ModelCatalog& catalog,
                                                     double threshold_usd_per_token = 0.00001) const;
};

/// Who plans. Without a client, all but `none` mean `deterministic`.
enum class PlannerMode {
  automatic,      ///< A model where the gate finds it worth a call, else the deterministic planner.
  llm,            ///< A model whenever there is anything to plan.
  deterministic,  ///< Never a model, neither for plans nor for summaries: nothing is sent anywhere.
  none,  ///< No selection by relevance: everything in full, cut or compacted only as far as the budget demands.
};

/// What a host wants of the summaries that a model writes, beside what always holds: nothing but what the text says, names
/// and figures as they are. Part of the system prompt, so never text from outside.
struct SummaryInstructions {
  std::string text{};                   ///< What matters to this host, in its own words; at most 4 000 bytes.
  std::vector<std::string> sections{};  ///< Headings, in this order; at most 12, each of one line and 80 bytes.
  std::string language{};               ///< "German", "fr"; at most 40 bytes. Empty: that of the text.
};

/// Who plans, and how far models may go. When a call is worth it: `GateThresholds`.
struct PlanningPolicy {
  PlannerMode mode = PlannerMode::automatic;

  /// Where a planning call fails, or its reply is of no use, the build fails with the planner's error. Else the
  /// deterministic planner takes over, and the receipt says why.
  bool fail_with_planner = false;

  /// A planner gets so long. Where the caller's deadline comes before that, no model is asked unless the mode is `llm`.
  std::chrono::milliseconds planner_timeout{8'000};
  std::size_t max_llm_calls = 40;  ///< Most calls of one build; what would need more is extracted instead.

  /// A second call shows each new summary to the summariser beside its source. A summary that says what its source does not is
  /// not used. Figures and names are compared without a call in any case.
  bool check_summaries = false;

  SummaryInstructions summary_instructions{};  ///< Hold for every summary by a model; other words, other cache entries.

  /// Most that plans and summaries may take, in all builds of a thread whose state is carried along; a build without a state
  /// is a thread of its own. Tokens are those of prompts and replies; USD count where the catalogue has prices. A call is not
  /// made where the most that it can take does not fit, and the receipt says so. Unset: no limit.
  std::optional<std::int64_t> max_planning_tokens{};
  std::optional<double> max_planning_usd{};
};

/// What becomes of the last user message when it does not fit.
enum class OversizedMessage {
  fail,    ///< `budget_exceeded`.
  shrink,  ///< It keeps head and tail around a marker.
};

/// What becomes of pinned messages, and results of tools that are never cut, where they take more than half of what
/// system messages and tools leave of the budget.
enum class OversizedPins {
  fail,  ///< They stay; where they alone exceed the budget, the build fails with `budget_exceeded`.
  release,  ///< The oldest become messages like others until the rest take 0.4: first by tool rules, then by the host's marks.
};

/// How a history that does not fit is cut. Shares are of the room: `max_input_tokens` less system messages, pins and tools.
/// Each is between 0 and 1; anything else is `invalid_argument`. The rules: docs/context-layout.md.
struct HistoryPolicy {
  /// A compaction leaves this part of the room filled. Higher keeps more messages; lower compacts less often, so that more
  /// of a prompt is cached.
  double target_fill = 0.4;

  /// What excerpts of the thread itself may take where somebody asks; at least 1,200 tokens, or 0.3 of the room where that is
  /// less. 0: none, in any thread.
  double evidence_share = 0.15;

  /// What notes of messages that are not shown may take. 0: none.
  double notes_share = 0.2;

  /// Whether the task of a thread is sent although it was cut.
  bool keep_task = true;

  OversizedMessage oversized = OversizedMessage::fail;
  OversizedPins oversized_pins = OversizedPins::fail;

  /// What becomes of a history that the model's service would not take; see `check_history()`. The receipt notes what was
  /// mended. Results without their call compete for room with the artifacts.
  BrokenHistory broken = BrokenHistory::mend;

  /// Whether the service refuses a request in which two calls have the same id. Unset: yes for `build_anthropic()` and
  /// `build_responses()`; elsewhere as the model's provider does.
  std::optional<bool> unique_call_ids{};

  /// Set: the service is asked to compact the thread by itself once a request has so many input tokens. `build_responses()` and
  /// `build_anthropic()` write it into the request. A chat request cannot say it (`invalid_argument`). Budgets hold all
  /// the same. A service's compaction is sent unbroken, whoever asked for it. Once something has to be cut, all that stood
  /// before it goes first. It stays searchable as long as the host keeps it. What it costs and loses: docs/costs.md.
  std::optional<std::int64_t> service_compacts_at{};

  /// The plain rule: the newest messages, backwards until one does not fit.
  [[nodiscard]] static HistoryPolicy suffix_only() {
    HistoryPolicy policy;
    policy.target_fill = 1.0;
    policy.evidence_share = policy.notes_share = 0.0;
    policy.keep_task = false;
    return policy;
  }
};

/// What one build tells the next of the same conversation, so that its prefix stays the same: at most 4 KiB of opaque
/// text, to be stored with the conversation. In between, messages may only have been appended: after an edit the thread
/// begins anew, and only what planning has taken of it is carried on. Losing it costs prompt-cache hits and time, nothing
/// else. A build ignores the state of another conversation.
struct ThreadState {
  std::string opaque{};
};

/// What is asked of one build. Everything that changes its result is here and in the `Context`; everything that it
/// talks to is in the `ContextManager`, but for the archive, which belongs to a session.
struct BuildRequest {
  ModelConfig models{};
  std::string query{};  ///< What relevance is judged by; never sent. Empty: the last user message.
  BudgetOptions budget{};
  std::vector<ToolDefinition> tools{};  ///< Sent beside the messages: counted, not changed.

  /// What else the host sends beside the messages (a response format, a prompt's variables, …). It is counted, not changed, and
  /// set aside like the tools.
  std::vector<ContentPart> sent_beside{};

  /// Set: at most about this many tokens of definitions are sent (`BuiltContext::tools`), in the order of `tools`. Those are
  /// what the thread has called or found, what is pinned, and what the question needs. `search_tools` is added, by which a
  /// model finds the rest (see `run_search_tools()`). What is called or pinned is sent even where it takes more.
  std::optional<std::int64_t> tools_budget{};
  std::vector<std::string> pinned_tools{};  ///< Always sent. A name that `tools` lacks is `invalid_argument`.

  PlanningPolicy planning{};
  HistoryPolicy history{};
  ToolRules
      tool_rules{};  ///< What becomes of tools' calls and results at compactions. Other rules begin the prefix anew.

  /// The shape of a list that the service takes. The build gives its messages in it and counts them so. Unset: that of the
  /// model's provider in the catalogue. `message_shape_of_host()` knows it by the service's address.
  std::optional<MessageShape> shape{};

  std::optional<ArtifactPlan> plan{};  ///< Carry out this plan instead of making one: replays, experiments.
  ThreadState thread_state{};          ///< `BuiltContext::thread_state` of the build before.

  /// Compact the thread now, full or not: before a pause, or where a new piece of work begins. For one build, of a thread
  /// that has a state. A model asks for the same by calling `compact_context` (see `compact_context_definition()`).
  bool compact_now = false;

  /// Whose data this is: a session or a tenant. Builds of one scope share summaries, and two scopes share nothing. Empty:
  /// a summary is used in this build alone.
  std::string scope{};

  /// Where what is shortened or left out stays readable. Null: no reference is promised.
  std::shared_ptr<ArtifactArchive> archive{};
};

}  // namespace ctxmgr
