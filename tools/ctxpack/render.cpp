#include <iostream>
#include <memory>
#include <string>

#include "command.hpp"
#include "ctxmgr/prompts/prompt_template.hpp"

namespace ctxpack {
namespace {

struct RenderOptions {
  std::string template_path{};
  std::string data_path{};
  std::string output_path{};
  bool strict = false;
  bool chat = false;
};

int run_render(const RenderOptions& options) {
  const auto source = read_input(options.template_path);
  if (!source) return report(source.error());
  ctxmgr::Result<std::string> data = std::string("{}");
  if (!options.data_path.empty()) data = read_input(options.data_path);
  if (!data) return report(data.error());
  ctxmgr::TemplateOptions settings;
  if (options.strict) settings.strict_undefined = true;
  if (options.chat) settings.dialect = ctxmgr::TemplateDialect::chat;
  const auto prompt = ctxmgr::PromptTemplate::parse(*source, settings);
  if (!prompt) return report(prompt.error(), options.template_path);
  const auto text = prompt->render_json(*data);
  if (!text) {
    const bool in_data = text.error().message.rfind("data: ", 0) == 0;
    return report(text.error(), in_data ? options.data_path : options.template_path);
  }
  return finish(write_output(options.output_path, *text));
}

}  // namespace

void add_render(const Command& program) {
  const Command command = program.add_command("render", "Renders a Jinja2 prompt template");
  const auto options = std::make_shared<RenderOptions>();
  command.add("template", options->template_path, "The template, or - for standard input").required();
  command.add("data", options->data_path, "File with the variables, a JSON object (default: no variables)");
  command.add("--output", options->output_path, "File to write (default: standard output)");
  command.add_flag("--strict", options->strict, "An undefined variable is an error");
  command.add_flag("--chat", options->chat, "Render the way programs render the chat templates of models");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack render prompt.j2 data.json --strict\n"
      "  echo \"Hello {{ name }}\" | ctxpack render - data.json");
  command.run([options] { return run_render(*options); });
}

}  // namespace ctxpack
