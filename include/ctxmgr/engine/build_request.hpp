#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/budget.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/tool_rules.hpp"
#include "ctxmgr/ports/artifact_archive.hpp"

namespace ctxmgr {

/// The models of a request: the primary answers, cheap ones plan and summarise. A plain value: to override a model for
/// one request, set its member. An empty name means the client's own model.
struct ModelConfig {
  std::string primary{};          ///< The model that answers: its window, prices and vocabulary count.
  std::string context_planner{};  ///< The model that plans.
  std::string summarizer{};       ///< The model that summarises.

  /// The request's model, and the other two from `defaults`. Without `defaults` OpenAI's "gpt-4o-mini" plans and summarises.
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary, const ModelConfig& defaults);
  [[nodiscard]] CTXMGR_API static ModelConfig from_request(std::string primary);

  /// As without `defaults`, but CONTEXT_PLANNER_MODEL and SUMMARIZER_MODEL name the models where they are set and not empty.
  [[nodiscard]] CTXMGR_API static ModelConfig from_environment(std::string primary = {});

  /// One model for everything, by the name under which a local server or a model in this process knows it.
  [[nodiscard]] CTXMGR_API static ModelConfig single(const std::string& model);

  /// Whether the primary's input price exceeds the threshold; false where the catalogue has no price for it.
  [[nodiscard]] CTXMGR_API bool is_expensive_primary(const ModelCatalog& catalog,
                                                     double threshold_usd_per_token = 0.00001) const;
};

/// Who plans. Without a client, all but `none` mean `deterministic`.
enum class PlannerMode {
  automatic,      ///< A model if `GateThresholds` find the call worth it, else the deterministic planner.
  llm,            ///< A model whenever there is anything to plan. If it fails, the deterministic planner takes over.
  llm_or_fail,    ///< As `llm`, but where the planner fails or its reply is of no use, the build fails with its error.
  deterministic,  ///< Never a model, neither for plans nor for summaries: nothing is sent anywhere.
  none,  ///< No selection by relevance: everything in full, cut or compacted only as far as the budget demands.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(PlannerMode value);

/// Your wishes for the summaries that a model writes. They stand in its system prompt, so put no text from outside here. In any
/// case a summary says only what its text says, with names and figures as they are.
struct SummaryInstructions {
  std::string text{};                   ///< The host's wishes, in its own words; at most 4 000 bytes.
  std::vector<std::string> sections{};  ///< Headings, in this order; at most 12, each of one line and 80 bytes.
  std::string language{};               ///< "German", "fr"; at most 40 bytes. Empty: that of the text.
};

/// Who plans, and how much time and tokens models may take for it. `GateThresholds` say when a call is worth it.
struct PlanningPolicy {
  PlannerMode mode = PlannerMode::automatic;

  /// Most time for a planning call. If the caller's deadline comes earlier, a model is asked only where the mode demands it.
  std::chrono::milliseconds planner_timeout{8'000};
  /// Most calls of one build. Texts that would need more become extracts. 0: only `prepare_compaction()` asks a model.
  std::size_t max_llm_calls = 40;

  /// True: a second call compares each new summary with its source. A summary that says more than its source is
  /// not used. Figures and names are always compared, without a call.
  bool check_summaries = false;

  SummaryInstructions summary_instructions{};  ///< Hold for every summary by a model; other words, other cache entries.

  /// The most tokens that plans and summaries may take in all builds of a thread, prompts and replies together. The thread state
  /// carries the sum; a build without a state is a thread of its own. A call is made only if the most that it can take fits;
  /// if not, the receipt says so. Unset: no limit.
  std::optional<std::int64_t> max_planning_tokens{};
};

/// May messages that must be sent give way if they are too large? Each value goes one step further.
enum class Oversized {
  fail,    ///< Nothing gives way: the build fails with `budget_exceeded`.
  shrink,  ///< The default: the last user message keeps head and tail around a marker if it does not fit.
  /// Pins, and results of tools that are never cut, give way, too, once they take over half of the room that system messages and
  /// tools leave. The oldest go until the rest take 0.4: first those of a tool rule, then those that the host marked.
  shrink_and_release,
};

[[nodiscard]] CTXMGR_API std::string_view to_string(Oversized value);

/// How a build cuts a history that does not fit. Shares are of the room: `max_input_tokens` less system messages, pins and
/// tools. Each is between 0 and 1; anything else is `invalid_argument`. docs/context-layout.md has the rules. A history that
/// the model's service would not take is mended first, with a note of the receipt; `check_history()` finds it beforehand.
/// Results without their call compete for room with the artifacts.
struct HistoryPolicy {
  /// A compaction leaves this part of the room filled, in a chat without calls 0.1 more. Higher keeps more messages. Lower
  /// compacts less often, so that more of a prompt is cached.
  double target_fill = 0.4;

  /// The most that excerpts of an agent's thread may take when the user asks about something that was cut. At least 1,200 tokens,
  /// or 0.2 of the room if that is less. In a chat without tools they take all free room, and at least this or a quarter. 0: no
  /// excerpts, in any thread.
  double evidence_share = 0.15;

  /// The most tokens of excerpts of the thread in one request's answer to a question, whatever the shares say. Less evidence
  /// costs answers about what was cut. With a model on your own machine each new token is waiting: docs/local-models.md has
  /// figures. Unset: no cap.
  std::optional<std::int64_t> evidence_tokens{};

  /// The most that the notes may take, which stand for messages that are not sent. The thread's task is sent beside them even
  /// after its message was cut. 0: neither.
  double notes_share = 0.2;

  Oversized oversized = Oversized::shrink;

  /// Set: the service is asked to compact the thread by itself once a request has so many input tokens. `build_responses()` and
  /// `build_anthropic()` write that into the request. A chat request cannot say it (`invalid_argument`). The budget holds
  /// nevertheless. A service's compaction is sent as it came, whoever asked for it. Once something has to be cut, the messages
  /// before it go first. They stay searchable as long as the host keeps them. docs/tuning.md compares both.
  std::optional<std::int64_t> service_compacts_at{};

  /// The plain rule: the newest messages, backwards until one does not fit.
  [[nodiscard]] static HistoryPolicy suffix_only() {
    HistoryPolicy policy;
    policy.target_fill = 1.0;
    policy.evidence_share = policy.notes_share = 0.0;
    return policy;
  }
};

/// Passed from one build to the next of the same conversation, so that the request keeps its beginning. Opaque text of at most
/// 4 KiB, or 20 KiB where a model made a long plan. Store it with the conversation. Between the two builds, only append messages:
/// after an edit the thread begins anew, and only the sum of planning is carried on. Losing it costs prompt-cache hits
/// and time, nothing else. A build ignores the state of another conversation.
struct ThreadState {
  std::string opaque{};
};

/// The wishes for one build. Everything that changes its result is here or in the `Context`. Its ports are in the
/// `ContextManager`, except the archive, which belongs to a session.
struct BuildRequest {
  ModelConfig models{};
  std::string query{};                  ///< Relevance is judged by it; never sent. Empty: the last user message.
  BudgetOptions budget{};               ///< How many tokens the request may have.
  std::vector<ToolDefinition> tools{};  ///< Sent beside the messages: counted, not changed.

  /// Text that you send beside the messages (a response format, a prompt's variables, …). A build counts it like the tools, and
  /// does not change it.
  std::vector<ContentPart> sent_beside{};

  /// Set: the build chooses tools (`BuiltContext::tools`) whose definitions take at most about this many tokens. It takes those
  /// that the thread has called or found, the pinned ones, and those that the question needs. It adds `search_tools`, by which
  /// the model finds the rest (see `run_search_tools()`). Called and pinned tools are sent even if they take more.
  std::optional<std::int64_t> tools_budget{};
  bool offers_tool_search =
      true;  ///< False where nobody could answer a call of `search_tools`: several replies are wanted.
  std::vector<std::string> pinned_tools{};  ///< Always sent. A name that `tools` lacks is `invalid_argument`.

  PlanningPolicy planning{};
  HistoryPolicy history{};
  ToolRules
      tool_rules{};  ///< Rules for the calls and results of tools at compactions. A change breaks the cached beginning.

  /// The service's demands on the list (roles in turn, one instruction in front, no id twice, …). The build writes and
  /// counts its messages so. Unset: as the model's provider demands. `message_shape_of_host()` knows it by the service's address.
  std::optional<MessageShape> shape{};

  std::optional<ArtifactPlan> plan{};  ///< Carry out this plan instead of making one: replays, experiments.
  ThreadState thread_state{};          ///< `BuiltContext::thread_state` of the build before.

  /// True: this build compacts the thread, full or not: before a pause, or before a new piece of work. Without a
  /// thread state of this budget it does nothing, and the receipt says so. A model asks for the same by calling
  /// `compact_context` (see `compact_context_definition()`).
  bool compact_now = false;

  /// True: an agent's request that passes 50, 75 or 90 % of its budget ends with a line for the model that says how many tokens
  /// are free. The last of these comes early enough for two more steps like the newest, and has the model write down what it still
  /// needs. Each comes once between two compactions, and does not stand in the next request.
  bool tells_room = false;

  /// Whose data this is: a session or a tenant. Builds of one scope share summaries, and two scopes share nothing. Empty:
  /// builds in this process share summaries of the same text with the same focus. A `summary_store` keeps none of them.
  std::string scope{};

  /// Keeps texts whole that the build shortens or leaves out, so that the model can read them. Null: nothing is kept or promised.
  std::shared_ptr<ArtifactArchive> archive{};
};

}  // namespace ctxmgr
