#include <memory>
#include <optional>

#include "cases.hpp"
#include "command.hpp"
#include "embedder.hpp"
#include "whole.hpp"

namespace ctxpack {
namespace {

struct SelectOptions {
  CaseFiles files;
  std::string output_path;
  std::string counter = "approximate";
  std::vector<std::int64_t> budgets;
  bool whole = false;
  bool perfect_planner = false;
  EmbedderOptions embedder;
};

/// A case whose embedder fails is chosen by words alone, and says so on standard error.
std::string select(const SelectOptions& options, const CaseRows& rows, const ctxmgr::TokenCounter& counter,
                   ctxmgr::Embedder* embedder) {
  const ctxmgr::Retriever retriever;
  auto question = question_of(rows);
  question.request.embedder = embedder;
  std::string output;
  for (const std::int64_t budget : options.budgets) {
    question.request.budget_tokens = budget;
    const auto selection = retriever.select(question.artifacts, question.request, counter);
    if (!selection.embedder_error.empty())
      report({ctxmgr::ErrorCode::unavailable, selection.embedder_error, {}}, text_or(*rows.row, "case_id"));
    output += prediction_of(*rows.row, budget, context_of(selection, question));
  }
  return output;
}

/// A case that cannot be built has an empty context, and a line on standard error.
std::string build(const SelectOptions& options, const CaseRows& rows, const WholeBuilds& builds) {
  std::string output;
  for (const std::int64_t budget : options.budgets) {
    auto context = builds.build(rows, budget);
    if (!context) report(context.error(), text_or(*rows.row, "case_id"));
    output += prediction_of(*rows.row, budget, context ? *context : std::string());
  }
  return output;
}

std::unique_ptr<ctxmgr::TokenCounter> make_counter(const SelectOptions& options) {
  return options.counter == "chars4" ? make_chars4_counter() : ctxmgr::make_approximate_token_counter();
}

ctxmgr::Result<void> run_select(const SelectOptions& options) {
  const auto cases = Cases::read(options.files);
  if (!cases) return tl::unexpected(cases.error());
  const auto embedder = make_embedder(options.embedder);
  if (!embedder) return tl::unexpected(embedder.error());
  std::optional<WholeBuilds> builds;
  if (options.whole) builds.emplace(make_counter(options), options.perfect_planner, *embedder);
  const auto counter = make_counter(options);
  std::string output;
  {
    Progress progress;
    std::size_t count = 0;
    const auto done = cases->for_each([&](const CaseRows& rows) {
      output += builds ? build(options, rows, *builds) : select(options, rows, *counter, embedder->get());
      progress.show(std::to_string(++count) + " cases");
    });
    if (!done) return tl::unexpected(done.error());
  }
  return write_output(options.output_path, output);
}

}  // namespace

void add_select(const Command& program) {
  auto options = std::make_shared<SelectOptions>();
  const Command command =
      program.add_command("select", "Chooses passages for many recorded questions, without a model");
  command.add("cases", options->files.cases, "Cases: case_id, query, history_id, cutoff_seq, artifact_ids").required();
  command.add("--histories", options->files.histories,
              "Histories: history_id, messages; a message may have a timestamp");
  command.add("--artifacts", options->files.artifacts, "Documents: artifact_id, title, content");
  command.add("--budget", options->budgets, "Tokens for the context of a case. Several make a result each")
      .required()
      .separated_by(',')
      .not_negative();
  command.add("--counter", options->counter, "How tokens are counted; chars4 is characters divided by four")
      .one_of({"approximate", "chars4"});
  command.add_flag("--whole", options->whole,
                   "Build whole requests with default options, and print all that is sent, frames included, except "
                   "system messages, pins and the question");
  command.add_flag("--perfect-planner", options->perfect_planner,
                   "With --whole: let a planner decide that knows the evidence (gold) of each case");
  add_embedder(command, options->embedder);
  command.add("-o,--output", options->output_path, "File to write (default: standard output)");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack select cases.jsonl --artifacts documents.jsonl --budget 1000,4000 -o chosen.jsonl\n"
      "  ctxpack select cases.jsonl --histories histories.jsonl --budget 2000 --whole");
  command.run([options] { return finish(run_select(*options)); });
}

}  // namespace ctxpack
