#include <iostream>
#include <memory>
#include <vector>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"

namespace ctxpack {
namespace {

std::shared_ptr<ctxmgr::TokenCounter> counter_for(const std::string& model) {
  const auto tokenizer = model.empty() ? std::string("o200k_base") : ctxmgr::ModelCatalog().find(model).tokenizer;
  for (auto& counter : exact_counters()) {
    if (counter->info().tokenizer == tokenizer) return counter;
  }
  return ctxmgr::make_approximate_token_counter();
}

int run_count(const std::vector<std::string>& files, const std::string& model, bool json) {
  warn_of_unknown_model("--model", model);
  const auto counter = counter_for(model);
  const auto info = counter->info();
  std::int64_t total = 0;
  for (const auto& file : files) {
    const auto text = read_input(file);
    if (!text) return report(text.error());
    const auto tokens = counter->count(*text);
    total += tokens;
    if (json) {
      std::cout << "{\"file\":" << json_string(file) << ",\"tokens\":" << tokens
                << ",\"exact\":" << (info.exact ? "true" : "false") << "}\n";
    } else {
      std::cout << tokens << '\t' << file << '\n';
    }
  }
  if (files.size() > 1 && !json) std::cout << total << "\ttotal\n";
  if (!info.exact) std::cerr << "ctxpack: tokens are estimated: no exact counter for this model's vocabulary\n";
  return success;
}

}  // namespace

void add_count(const Command& program) {
  const Command command = program.add_command("count", "Counts the tokens of files");
  const auto files = std::make_shared<std::vector<std::string>>();
  const auto model = std::make_shared<std::string>();
  command.add("files", *files, "Files, or - for standard input").required();
  command.add("--model", *model, "Model whose tokens are counted (default: the vocabulary o200k_base)");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "One JSON object a line");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack count --model gpt-5.4-mini report.md tariff.csv\n"
      "  cat report.md | ctxpack count -");
  command.run([files, model, json] { return run_count(*files, *model, *json); });
}

}  // namespace ctxpack
