#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"

namespace ctxpack {
namespace {

/// Figures for people, in front of the table that every receipt has.
std::string summary_of(const ctxmgr::PlanPreview& preview) {
  char cost[64] = "";
  if (preview.expected_cost_usd > 0) std::snprintf(cost, sizeof cost, ", about %.6f USD", preview.expected_cost_usd);
  char text[512];
  std::snprintf(text, sizeof text,
                "Planner: %s (%s)\nModel calls: at most %zu%s\nTokens: %" PRId64 " instead of %" PRId64 " (%" PRId64
                " saved)\n\n",
                preview.would_use_llm ? "a model" : "deterministic",
                ctxmgr::plan_reason_in_words(preview.gate_reason).c_str(), preview.expected_llm_calls, cost,
                preview.metadata.input_tokens_used, preview.metadata.include_all_tokens, preview.tokens_saved);
  return text;
}

int run_plan(const BuildOptions& options, bool json) {
  auto job = prepare(options);
  if (!job) return report(job.error());
  const auto preview = job->manager.plan(job->input.context, job->input.request);
  if (!preview) return report(preview.error(), options.request_path);
  const auto text = json ? "{\"plan\":" + ctxmgr::to_json(preview->plan) +
                               ",\"metadata\":" + ctxmgr::to_json(preview->metadata) + "}\n"
                         : summary_of(*preview) + ctxmgr::explain(preview->metadata);
  return finish(write_output({}, text));
}

}  // namespace

void add_plan(const Command& program) {
  const Command command =
      program.add_command("plan", "The dry run of build: what it would do and cost; calls no model, stores nothing");
  const auto options = std::make_shared<BuildOptions>();
  const auto json = std::make_shared<bool>(false);
  add_options(command, *options);
  command.add_flag("--json", *json, "Print plan and receipt as JSON");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack plan request.json --budget 8000\n"
      "  ctxpack plan request.json --budget 8000 --json | jq .plan");
  command.run([options, json] { return run_plan(*options, *json); });
}

}  // namespace ctxpack
