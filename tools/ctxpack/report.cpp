#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "stores.hpp"
#include "view/html.hpp"
#include "view/receipts_file.hpp"

namespace ctxpack {
namespace {

struct ReportOptions {
  std::string receipts;
  std::string store;
  std::string workflow;
  std::int64_t step = 0;  // 0: all
  std::string out;
  std::string title = "What the model was sent";
};

/// Receipts of the steps that a store has, a line each; every agent is a run of its own, with a prefix of its own. Steps
/// that were recorded without one are passed over.
ctxmgr::Result<std::string> stored_receipts(const ReportOptions& options) {
  const auto store = open_conversation_store(options.store, MissingFile::refuse);
  if (!store) return tl::unexpected(store.error());
  const auto info = (*store)->info(options.workflow, {});
  if (!info) return tl::unexpected(info.error());
  if (!*info) return ctxmgr::fail(ctxmgr::ErrorCode::not_found, "there is no such workflow");
  std::string lines;
  const std::int64_t last = options.step == 0 ? (*info)->last_step : options.step;
  for (std::int64_t step = options.step == 0 ? 1 : options.step; step <= last; ++step) {
    const auto sent = (*store)->load_step(options.workflow, step, {});
    if (!sent && (options.step != 0 || sent.error().code != ctxmgr::ErrorCode::not_found))
      return tl::unexpected(sent.error());
    if (sent && !sent->receipt_json.empty())
      lines += "{\"run\":" + json_string(sent->agent) + ",\"metadata\":" + sent->receipt_json + "}\n";
  }
  if (lines.empty()) return ctxmgr::fail(ctxmgr::ErrorCode::not_found, "no step of this workflow has a receipt");
  return lines;
}

int run_report(const ReportOptions& options) {
  if (options.receipts.empty() && options.store.empty())
    return report({ctxmgr::ErrorCode::invalid_argument, "give it a file with receipts, or --store and --workflow"});
  const auto text = options.store.empty() ? read_input(options.receipts) : stored_receipts(options);
  if (!text) return report(text.error());
  auto steps = view::read_receipts(*text, ctxmgr::ModelCatalog());
  if (!steps) return report(steps.error(), options.receipts);
  const auto page = view::to_html({options.title, false, std::move(*steps)});
  return finish(write_output(options.out, page));
}

}  // namespace

void add_report(const Command& program) {
  const auto options = std::make_shared<ReportOptions>();
  const Command command =
      program.add_command("report", "Draws receipts: an HTML page shows what fills the model's window, and why");
  const auto receipts = command.add("receipts", options->receipts,
                                    "File with the output of build or of simulate --requests; - for standard input");
  auto store = command.add("--store", options->store, "Steps of a workflow: sqlite:PATH, postgresql://… or mysql://…");
  auto workflow = command.add("--workflow", options->workflow, "Id of the workflow").needs(store);
  store.needs(workflow).excludes(receipts);
  command.add("--step", options->step, "Step of the workflow (default: all that have a receipt)")
      .positive()
      .needs(workflow);
  command.add("--out", options->out, "File for the page, instead of standard output");
  command.add("--title", options->title, "Heading of the page");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack build request.json --budget 8000 | ctxpack report - --out window.html\n"
      "  ctxpack simulate runs.jsonl --budget 8000 --requests requests.jsonl && ctxpack report requests.jsonl --out "
      "runs.html\n"
      "  ctxpack report --store sqlite:threads.db --workflow emails --out steps.html");
  command.run([options] { return run_report(*options); });
}

}  // namespace ctxpack
