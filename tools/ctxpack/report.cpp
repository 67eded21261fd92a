#include <memory>
#include <utility>

#include "command.hpp"
#include "view/html.hpp"
#include "view/receipts_file.hpp"

namespace ctxpack {
namespace {

struct ReportOptions {
  std::string receipts;
  std::string out;
  std::string title = "What the model was sent";
};

int run(const ReportOptions& options) {
  const auto text = read_input(options.receipts);
  if (!text) return report(text.error());
  auto steps = view::read_receipts(*text, ctxmgr::ModelCatalog());
  if (!steps) return report(steps.error(), options.receipts);
  const auto page = view::to_html({options.title, false, std::move(*steps)});
  if (auto written = write_output(options.out, page); !written) return report(written.error());
  return success;
}

}  // namespace

void add_report(const Command& program) {
  const auto options = std::make_shared<ReportOptions>();
  const Command command =
      program.add_command("report", "Receipts as a picture: one HTML file of what fills the window, and why");
  command
      .add("receipts", options->receipts,
           "What build or simulate --requests printed, as a file, or - for standard input")
      .required();
  command.add("--out", options->out, "File for the page, instead of standard output");
  command.add("--title", options->title, "Heading of the page");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack build request.json --budget 8000 | ctxpack report - --out window.html\n"
      "  ctxpack simulate runs.jsonl --budget 8000 --requests requests.jsonl && ctxpack report requests.jsonl --out "
      "runs.html");
  command.run([options] { return run(*options); });
}

}  // namespace ctxpack
