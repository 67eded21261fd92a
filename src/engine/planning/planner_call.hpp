#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/planning/catalogue.hpp"

namespace ctxmgr::engine {

/// Most tokens of a planner's prompt, and most artifacts that it is shown: lines on one take some 200 tokens.
inline constexpr std::int64_t planner_prompt_tokens = 24'000;
inline constexpr std::size_t planner_artifacts = planner_prompt_tokens / 200;

struct PlannerQuestion {
  std::vector<CatalogueEntry> catalogue{};
  std::string query{};
  std::string task{};                   ///< What the thread is for, where that is not the question.
  std::vector<std::string> dialogue{};  ///< What was said last before the question, oldest first: "user: …".
  std::string notes{};                  ///< What is noted of messages that are not sent any more.
  ContextGoal goal = ContextGoal::synthesis;
  std::int64_t available_tokens = 0;
  double primary_input_usd_per_token = 0;  ///< 0: not known.
  std::string model{};
  std::string scope{};
};

/// One planning call, and which artifact each of its aliases stands for.
struct PlannerCall {
  LlmRequest request{};
  std::vector<std::string> artifact_of_alias{};  ///< Artifact ids; alias "a1" is the first.
  std::vector<std::string> title_of_alias{};     ///< What the catalogue calls each of them.
};

/// What was said, and the most relevant artifacts, as many as `max_tokens` and `planner_artifacts` allow, each as a few lines of data inside a fence
/// that its text cannot close; real ids do not leave. The fence is derived from the whole content, so that the same
/// question gives the same bytes and no text can contain it. Pure.
[[nodiscard]] PlannerCall make_planner_call(const PlannerQuestion& question, std::int64_t max_tokens,
                                            const TokenCounter& counter);

/// The plan in a planner's reply: JSON, or the first JSON object in it. An artifact is named by its alias, or by its title
/// where only one has it. Decisions on anything else are dropped. Of a reply that was cut off, the whole decisions count,
/// since what a plan does not name keeps its default. `repairs` says both. `bad_data` where no decision is left, or where the
/// model refused. Pure.
[[nodiscard]] Result<ArtifactPlan> read_planner_reply(const LlmResponse& response, const PlannerCall& call,
                                                      std::vector<std::string>& repairs);

}  // namespace ctxmgr::engine
