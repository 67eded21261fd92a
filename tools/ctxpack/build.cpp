#include <memory>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"

namespace ctxpack {
namespace {

struct BuildCommandOptions : BuildOptions {
  std::string out;
  std::string metadata;
  bool explain = false;
};

/// What is sent: the messages, or for Anthropic, whose instructions stand apart, the whole request.
ctxmgr::Result<std::string> sent(const Job& job, const std::vector<ctxmgr::ConversationMessage>& messages) {
  if (!job.is_anthropic) return "\"messages\":" + ctxmgr::to_openai_json(messages);
  return ctxmgr::with_anthropic_messages(job.request_text, messages).map([](const std::string& request) {
    return "\"request\":" + request;
  });
}

int run_build(const BuildCommandOptions& options) {
  auto job = prepare(options);
  if (!job) return report(job.error());
  const auto built = job->manager.build(job->input.context, job->input.request);
  if (!built) return report(built.error(), options.request_path);
  warn_of_failed_planner(built->metadata);
  const auto metadata = ctxmgr::to_json(built->metadata);
  if (!options.metadata.empty()) {
    if (auto written = write_output(options.metadata, metadata + "\n"); !written) return report(written.error());
  }
  const auto request = sent(*job, built->messages);
  if (!request) return report(request.error(), options.request_path);
  const auto text =
      options.explain ? ctxmgr::explain(built->metadata) : "{" + *request + ",\"metadata\":" + metadata + "}\n";
  return finish(write_output(options.out, text));
}

}  // namespace

void add_build(const Command& program) {
  const Command command =
      program.add_command("build", "Builds the messages to send, and prints them with their receipt");
  const auto options = std::make_shared<BuildCommandOptions>();
  add_options(command, *options);
  command.add("--out", options->out, "File for the result, instead of standard output");
  command.add("--metadata", options->metadata, "File for the receipt alone");
  command.add_flag("--explain", options->explain, "Print a table for people instead of JSON");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack build request.json --budget 8000 --explain\n"
      "  ctxpack build request.json --attach report.md --attach tariff.csv | jq .messages\n"
      "  ctxpack build request.json --budget 8000 | ctxpack report - --out window.html");
  command.run([options] { return run_build(*options); });
}

}  // namespace ctxpack
