#include "arguments.hpp"
#include "command.hpp"

namespace {

void add_commands(const ctxpack::Command& program) {
  ctxpack::add_build(program);
  ctxpack::add_plan(program);
  ctxpack::add_count(program);
  ctxpack::add_thread(program);
  ctxpack::add_replay(program);
#ifdef CTXPACK_WITH_PROMPTS
  ctxpack::add_render(program);
#endif
  ctxpack::add_context(program);
  ctxpack::add_tokens(program);
  ctxpack::add_select(program);
  ctxpack::add_simulate(program);
  ctxpack::add_report(program);
  ctxpack::add_mcp(program);
  ctxpack::add_completions(program);
  ctxpack::add_help(program);
#ifdef CTXPACK_WITH_SERVE
  ctxpack::add_serve(program);
  ctxpack::add_run(program);
#endif
}

}  // namespace

int main(int argc, char** argv) { return ctxpack::run_command_line(argc, argv, add_commands); }
