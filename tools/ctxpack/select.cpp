#include "cases.hpp"
#include "command.hpp"

namespace ctxpack {
namespace {

struct SelectOptions {
  CaseFiles files;
  std::string output_path;
  std::string counter = "approximate";
  std::vector<std::int64_t> budgets;
};

ctxmgr::Result<void> run(const SelectOptions& options) {
  const auto cases = Cases::read(options.files);
  if (!cases) return tl::unexpected(cases.error());
  const auto counter = options.counter == "chars4" ? make_chars4_counter() : ctxmgr::make_approximate_token_counter();
  const ctxmgr::Retriever retriever;
  std::string output;
  const auto done = cases->for_each([&](const nlohmann::json& row, Question& question) {
    for (const std::int64_t budget : options.budgets) {
      question.request.budget_tokens = budget;
      output += prediction_of(row, budget, question, retriever.select(question.artifacts, question.request, *counter));
    }
  });
  if (!done) return tl::unexpected(done.error());
  return write_output(options.output_path, output);
}

}  // namespace

void add_select(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SelectOptions>();
  CLI::App* command =
      app.add_subcommand("select", "Choose context for many questions without a model: JSON Lines in and out.");
  command->add_option("cases", options->files.cases, "Cases: case_id, query, history_id, cutoff_seq, artifact_ids")
      ->required();
  command->add_option("--histories", options->files.histories, "Histories: history_id, messages");
  command->add_option("--artifacts", options->files.artifacts, "Documents: artifact_id, title, content");
  command->add_option("--budget", options->budgets, "Tokens for the context of each case; several: one result for each")
      ->required()
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command->add_option("--counter", options->counter, "approximate, or chars4 (characters divided by four)")
      ->check(CLI::IsMember({"approximate", "chars4"}));
  command->add_option("-o,--output", options->output_path, "File to write; standard output without it");
  command->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? success : report(done.error());
  });
}

}  // namespace ctxpack
