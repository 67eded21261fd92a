#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "command.hpp"

namespace ctxpack {

Argument Argument::required() {
  option_->required();
  return *this;
}

Argument Argument::one_of(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

Argument Argument::in_range(std::int64_t least, std::int64_t most) {
  const bool is_open = most >= std::int64_t{1} << 40;  // More than anybody means.
  const auto range = std::to_string(least) + (is_open ? " or more" : " to " + std::to_string(most));
  option_->check(CLI::Validator(
      [least, most, range](const std::string& text) {
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_number = problem == std::errc() && end == text.data() + text.size();
        if (is_number && value >= least && value <= most) return std::string();
        return "expected a whole number, " + range + ", not " + text;
      },
      range));
  return *this;
}

Argument Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Argument Argument::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Argument Argument::once_each() {
  option_->allow_extra_args(false);
  return *this;
}

Argument Argument::separated_by(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Argument Argument::excludes(Argument other) {
  option_->excludes(other.option_);
  return *this;
}

Argument Argument::needs(Argument other) {
  option_->needs(other.option_);
  return *this;
}

Command Command::add_command(const char* name, const char* description) const {
  CLI::App* const command = app_->add_subcommand(name, description);
  command->footer("");  // Else it has the program's examples.
  return {*command, *exit_code_};
}

Argument Command::add(const char* name, std::string& value, const char* description) const {
  return Argument(app_->add_option(name, value, description));
}

Argument Command::add(const char* name, std::int64_t& value, const char* description) const {
  return Argument(app_->add_option(name, value, description));
}

Argument Command::add(const char* name, std::uint64_t& value, const char* description) const {
  return Argument(app_->add_option(name, value, description));
}

Argument Command::add(const char* name, std::vector<std::string>& value, const char* description) const {
  return Argument(app_->add_option(name, value, description));
}

Argument Command::add(const char* name, std::vector<std::int64_t>& value, const char* description) const {
  return Argument(app_->add_option(name, value, description));
}

void Command::add_flag(const char* name, bool& value, const char* description) const {
  app_->add_flag(name, value, description);
}

void Command::show_after_help(const char* words) const { app_->footer(words); }

namespace {

Command::Outline outline_of(const CLI::App& app) {
  Command::Outline outline{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) outline.options.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    outline.commands.push_back(outline_of(*command));
  return outline;
}

}  // namespace

Command::Outline Command::outline() const { return outline_of(*app_); }

void Command::require_command() const { app_->require_subcommand(1); }

void Command::require_one_of(Argument first, Argument second) const {
  app_->parse_complete_callback([first = first.option_, second = second.option_] {
    if (first->count() + second->count() == 0)
      throw CLI::RequiredError(
          first->get_name() + " or " + second->get_name() + " is missing: " + first->get_description(),
          CLI::ExitCodes::RequiredError);
  });
}

void Command::run(std::function<int()> work) const {
  app_->callback([work = std::move(work), exit_code = exit_code_] { *exit_code = work(); });
}

namespace {

/// The command that was meant, and those above it: its own first.
std::vector<const CLI::App*> meant_by(const CLI::App& app) {
  std::vector<const CLI::App*> commands{&app};
  while (!commands.front()->get_subcommands().empty())
    commands.insert(commands.begin(), commands.front()->get_subcommands().front());
  return commands;
}

std::vector<const CLI::App*> commands_below(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// The first argument that is missing, with what it is, those by their place before options; `problem` where none is. Leaves the
/// command that takes it first in the list.
std::string missing_in(std::vector<const CLI::App*>& commands, const std::string& problem) {
  for (auto command = commands.begin(); command != commands.end(); ++command)
    for (const bool is_positional : {true, false})
      for (const CLI::Option* option : (*command)->get_options())
        if (option->get_required() && option->count() == 0 && option->get_positional() == is_positional) {
          commands.erase(commands.begin(), command);
          return option->get_name(is_positional) + " is missing: " + option->get_description();
        }
  const auto below = commands_below(*commands.front());
  std::string names;
  for (const CLI::App* command : below) names += (names.empty() ? "" : ", ") + command->get_name();
  return below.empty() ? problem : "a subcommand is missing: " + names;
}

/// What is wrong with a command line, and which command was meant.
std::string problem_of(const CLI::App& app, const CLI::ParseError& error) {
  auto commands = meant_by(app);
  const auto unknown = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool names_none = !commands_below(*commands.front()).empty();
  const auto is_option = [](const std::string& text) { return text.size() > 1 && text.front() == '-'; };
  const auto option = std::find_if(unknown.begin(), unknown.end(), is_option);
  const auto word = std::find_if_not(unknown.begin(), unknown.end(), is_option);
  std::string problem = error.what();
  if (names_none && word != unknown.end()) {
    problem = "there is no subcommand " + *word;
  } else if (option != unknown.end() && (is_extra || names_none)) {
    problem = "there is no option " + *option;
  } else if (word != unknown.end() && is_extra) {
    problem = "nothing takes the argument " + *word;
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    problem = missing_in(commands, problem);
  }
  std::string name;
  for (const CLI::App* command : commands) name.insert(0, " ").insert(0, command->get_name());
  return problem + " (" + name + "--help lists what there is)";
}

}  // namespace

int run_command_line(int argc, char** argv, const std::function<void(const Command&)>& add) {
  CLI::App app("Chooses what a language model sees, within a token budget.", "ctxpack");
  app.require_subcommand(1);
  app.set_version_flag("--version", CTXPACK_VERSION);
  int exit_code = success;
  const Command program(app, exit_code);
  const char* const path = std::getenv("CTXPACK_CONFIG");
  const bool is_given = path != nullptr && *path != '\0';
  app.set_config("--config", is_given ? path : "", "File of options, such as [serve] with upstream = \"…\"", is_given);
  program.show_after_help(
      "Examples:\n"
      "  ctxpack build request.json --budget 8000 --explain\n"
      "  ctxpack serve --upstream https://api.openai.com/v1 --budget 32000\n"
      "  ctxpack COMMAND --help");
  add(program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version.
    return report({ctxmgr::ErrorCode::invalid_argument, problem_of(app, error), {}});
  } catch (const std::exception& error) {
    return report({ctxmgr::ErrorCode::internal, error.what(), {}});
  }
  return exit_code;
}

}  // namespace ctxpack
