#include <cstdint>
#include <memory>
#include <string>

#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "stores.hpp"

namespace ctxpack {
namespace {

struct ReplayArguments {
  std::string store{};
  std::string workflow{};
  std::int64_t step = 0;  // 0: the newest
  bool explain = false;
  bool json = false;
};

int replay(const ReplayArguments& arguments) {
  auto store = open_conversation_store(arguments.store, MissingFile::refuse);
  if (!store) return report(store.error());
  ctxmgr::WorkflowOptions options;
  options.workflow_id = arguments.workflow;
  options.store = *store;
  const auto workflow = ctxmgr::Workflow::open(std::move(options));
  if (!workflow) return report(workflow.error());
  const auto info = workflow->info();
  if (!info) return report(info.error());
  const auto step = arguments.step == 0 ? info->last_step : arguments.step;
  if (step == 0 || step > info->last_step) {
    return report({ctxmgr::ErrorCode::not_found,
                   "there is no such step: the workflow has " + std::to_string(info->last_step),
                   {}});
  }
  std::string text;
  if (!arguments.explain) {
    const auto messages = workflow->replay(step);
    if (!messages) return report(messages.error());
    text = ctxmgr::to_openai_json(*messages);
  }
  if (arguments.explain || arguments.json) {
    const auto receipt = workflow->receipt(step);
    if (!receipt) return report(receipt.error());
    const auto metadata = ctxmgr::to_json(*receipt);
    if (!arguments.json)
      text = ctxmgr::explain(*receipt);
    else
      text = arguments.explain ? metadata : "{\"messages\":" + text + ",\"metadata\":" + metadata + "}";
  }
  if (text.empty() || text.back() != '\n') text += '\n';
  return finish(write_output({}, text));
}

}  // namespace

void add_replay(const Command& program) {
  const Command command =
      program.add_command("replay", "Prints the messages that a workflow sent at a step, byte for byte");
  const auto arguments = std::make_shared<ReplayArguments>();
  command.add("--store", arguments->store, "sqlite:PATH, postgresql://… or mysql://…").required();
  command.add("workflow", arguments->workflow, "Id of the workflow").required();
  command.add("--step", arguments->step, "Step to print (default: the newest)").positive();
  command.add_flag("--explain", arguments->explain, "Print the receipt instead: why these messages");
  command.add_flag("--json", arguments->json,
                   "Print the receipt as JSON: beside the messages, as `build` does, or with --explain alone");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack replay report-7 --store sqlite:threads.db | jq .\n"
      "  ctxpack replay report-7 --store sqlite:threads.db --step 3 --explain");
  command.run([arguments] { return replay(*arguments); });
}

}  // namespace ctxpack
