#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "ctxmgr/core/receipt_words.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"

namespace ctxpack {
namespace {

/// Figures for people, in front of the table that every receipt has.
std::string preview_text(const ctxmgr::PlanPreview& preview) {
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

struct PlanCommandOptions : BuildOptions {
  bool json = false;
  bool what_if = false;
  std::string given;  ///< File with a plan.
};

/// A plan that was carried out, to be held against others.
struct Alternative {
  std::string name;
  ctxmgr::BuiltContext built;
};

/// The deterministic planner's, the one that is given, and a model's where one may be asked.
ctxmgr::Result<std::vector<Alternative>> alternatives(const Job& job, const PlanCommandOptions& options) {
  std::vector<Alternative> made;
  const auto add = [&](const std::string& name, const ctxmgr::BuildRequest& request) -> ctxmgr::Result<void> {
    auto built = job.manager.build(job.input.context, request);
    if (!built) return tl::unexpected(built.error());
    warn_of_failed_planner(built->metadata);
    made.push_back({name, std::move(*built)});
    return {};
  };
  auto request = job.input.request;
  const auto mode = std::exchange(request.planning.mode, ctxmgr::PlannerMode::deterministic);
  if (auto done = add("deterministic", request); !done) return tl::unexpected(done.error());
  if (!options.given.empty()) {
    auto text = read_input(options.given);
    if (!text) return tl::unexpected(text.error());
    auto plan = ctxmgr::from_json<ctxmgr::ArtifactPlan>(*text);
    if (!plan) return tl::unexpected(plan.error());
    request.plan = std::move(*plan);
    if (auto done = add("given", request); !done) return tl::unexpected(done.error());
    request.plan.reset();
  }
  if (mode == ctxmgr::PlannerMode::deterministic || options.base_url.empty()) return made;
  request.planning.mode = mode;
  if (auto done = add("model's", request); !done) return tl::unexpected(done.error());
  return made;
}

std::string cell(const std::string& text, std::size_t width) {
  auto padded = text.substr(0, width);
  padded.resize(width + 2, ' ');
  return padded;
}

std::string form_of(const ctxmgr::ContextUtilizationMetadata& receipt, const std::string& artifact_id) {
  for (const auto& record : receipt.artifacts_processed) {
    if (record.artifact_id != artifact_id) continue;
    const std::string form(ctxmgr::form_in_words(record));
    return record.processed_tokens == 0 ? form : form + " " + std::to_string(record.processed_tokens);
  }
  return "-";
}

/// A column for each plan: what it sends, what it costs, and what becomes of each artifact.
std::string comparison_of(const std::vector<Alternative>& plans, double usd_per_token) {
  constexpr std::size_t names = 40;
  constexpr std::size_t column = 22;
  std::vector<std::string> ids;
  std::string heads = cell("", names);
  std::string tokens = cell("tokens sent", names);
  std::string costs = cell("sending them, USD", names);
  std::string planning = cell("planning, USD", names);
  const auto usd = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6f", value);
    return std::string(text);
  };
  for (const auto& plan : plans) {
    const auto& receipt = plan.built.metadata;
    heads += cell(plan.name, column);
    tokens += cell(std::to_string(receipt.input_tokens_used), column);
    costs += cell(usd(usd_per_token * static_cast<double>(receipt.input_tokens_used)), column);
    planning += cell(usd(receipt.planning_cost.total_cost_usd()), column);
    for (const auto& record : receipt.artifacts_processed) {
      if (std::find(ids.begin(), ids.end(), record.artifact_id) == ids.end()) ids.push_back(record.artifact_id);
    }
  }
  std::string text;
  for (const auto& line : {heads, tokens, costs, planning}) text += line + '\n';
  for (const auto& id : ids) {
    text += cell(id, names);
    for (const auto& plan : plans) text += cell(form_of(plan.built.metadata, id), column);
    text += '\n';
  }
  return text;
}

std::string json_of_plans(const std::vector<Alternative>& plans) {
  std::string text = "{";
  for (const auto& plan : plans) {
    if (text.size() > 1) text += ",";
    text.append("\"").append(plan.name == "model's" ? "model" : plan.name);
    text.append("\":{\"plan\":").append(ctxmgr::to_json(plan.built.plan));
    text.append(",\"metadata\":").append(ctxmgr::to_json(plan.built.metadata)).append("}");
  }
  return text + "}\n";
}

int compare(const PlanCommandOptions& options) {
  auto job = prepare(options);
  if (!job) return report(job.error());
  const auto plans = alternatives(*job, options);
  if (!plans) return report(plans.error(), options.request_path);
  const auto price = job->manager.catalog().find(job->input.request.models.primary).input_usd_per_token;
  const auto text = options.json ? json_of_plans(*plans) : comparison_of(*plans, price.value_or(0));
  if (auto written = write_output({}, text); !written) return report(written.error());
  return success;
}

int run_plan(const BuildOptions& options, bool json) {
  auto job = prepare(options);
  if (!job) return report(job.error());
  const auto preview = job->manager.plan(job->input.context, job->input.request);
  if (!preview) return report(preview.error(), options.request_path);
  const auto text = json ? "{\"plan\":" + ctxmgr::to_json(preview->plan) +
                               ",\"metadata\":" + ctxmgr::to_json(preview->metadata) + "}\n"
                         : preview_text(*preview) + ctxmgr::explain(preview->metadata);
  return finish(write_output({}, text));
}

}  // namespace

void add_plan(const Command& program) {
  const Command command =
      program.add_command("plan", "Says what build would do and cost, without calling a model or storing anything");
  const auto options = std::make_shared<PlanCommandOptions>();
  add_options(command, *options);
  command.add_flag("--json", options->json, "Print plan and receipt as JSON");
  command.add_flag(
      "--what-if", options->what_if,
      "Compare plans by carrying them out: the built-in planner's, the one of --given, and with --base-url "
      "a model's");
  command.add("--given", options->given, "File with a plan, as --json prints it under \"plan\", for --what-if");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack plan request.json --budget 8000\n"
      "  ctxpack plan request.json --budget 8000 --what-if\n"
      "  ctxpack plan request.json --budget 8000 --json | jq .plan");
  command.run([options] { return options->what_if ? compare(*options) : run_plan(*options, options->json); });
}

}  // namespace ctxpack
