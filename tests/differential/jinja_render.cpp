// Renders templates for jinja_differential.py and jinja_cost.py: a JSON object {"template", "data", "chat", "strict"} a
// line in, one of {"text"} or {"error"}, and "seconds" of processor time, a line out.
#include <ctime>
#include <iostream>
#include <string>

#include "core/json/json.hpp"
#include "ctxmgr/prompts/prompt_template.hpp"

namespace {

ctxmgr::Result<std::string> render(const ctxmgr::Json& job) {
  ctxmgr::TemplateOptions options;
  if (job["chat"].boolean()) options.dialect = ctxmgr::TemplateDialect::chat;
  if (job["strict"].boolean()) options.strict_undefined = true;
  return ctxmgr::PromptTemplate::parse(job["template"].string(), options)
      .and_then([&job](const ctxmgr::PromptTemplate& prompt) {
        return prompt.render_json(ctxmgr::dump_json(job.contains("data") ? job["data"] : ctxmgr::Json::object()));
      });
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto job = ctxmgr::parse_json(line);
    const std::clock_t begin = std::clock();
    ctxmgr::Json answer;
    if (!job) {
      answer["error"] = "job: " + job.error().message;
    } else if (const auto text = render(*job)) {
      answer["text"] = *text;
    } else {
      answer["error"] = std::string(ctxmgr::to_string(text.error().code)) + ": " + text.error().message;
    }
    answer["seconds"] = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::cout << ctxmgr::dump_json(answer) << '\n' << std::flush;
  }
}
