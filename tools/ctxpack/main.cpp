#include <exception>
#include <string>
#include <vector>

#include "command.hpp"

int main(int argc, char** argv) {
  CLI::App app("Chooses what a language model sees, within a token budget.", "ctxpack");
  app.require_subcommand(1);
  app.set_version_flag("--version", CTXPACK_VERSION);
  int exit_code = ctxpack::success;
  ctxpack::add_build(app, exit_code);
  ctxpack::add_plan(app, exit_code);
  ctxpack::add_count(app, exit_code);
  ctxpack::add_thread(app, exit_code);
  ctxpack::add_replay(app, exit_code);
#ifdef CTXPACK_WITH_PROMPTS
  ctxpack::add_render(app, exit_code);
#endif
  ctxpack::add_context(app, exit_code);
  ctxpack::add_tokens(app, exit_code);
  ctxpack::add_select(app, exit_code);
  ctxpack::add_simulate(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version.
    const auto unknown = app.get_subcommands().empty() ? app.remaining() : std::vector<std::string>();
    const std::string problem = unknown.empty() ? error.what() : "there is no subcommand " + unknown.front();
    return ctxpack::report({ctxmgr::ErrorCode::invalid_argument, problem + " (--help lists what there is)", {}});
  } catch (const std::exception& error) {
    return ctxpack::report({ctxmgr::ErrorCode::internal, error.what(), {}});
  }
  return exit_code;
}
