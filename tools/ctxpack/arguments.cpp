#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "command.hpp"

namespace ctxpack {

struct CommandLine {
  int exit_code = success;
  std::map<const CLI::Option*, std::vector<std::string>> values{};  ///< Of options that have one of some values.
  std::map<const CLI::App*, std::vector<std::string>*> programs{};  ///< Of commands that run one.
  std::vector<std::string> arguments{};                             ///< Those of the program.
};

namespace {

/// Edits of a letter that make one word of the other; a swap of neighbours is one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t k = 0; k <= b.size(); ++k) {
      auto& least = edits[i][k];
      least = i == 0 ? k : k == 0 ? i : edits[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0U : 1U);
      if (i == 0 || k == 0) continue;
      least = std::min({least, edits[i - 1][k] + 1, edits[i][k - 1] + 1});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        least = std::min(least, edits[i - 2][k - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

/// ", did you mean serve?" where a name differs by at most three letters and a third of the word; nothing otherwise.
std::string meant(const std::string& word, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  auto least = std::min<std::size_t>(word.size() / 3 + 1, 4);
  for (const auto& name : names)
    if (const auto edits = distance(word, name); edits < least) {
      least = edits;
      nearest = &name;
    }
  return nearest == nullptr ? "" : ", did you mean " + *nearest + "?";
}

std::string joined_by(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

}  // namespace

Argument Argument::required() {
  option_->required();
  return *this;
}

Argument Argument::one_of(std::vector<std::string> values) {
  line_->values[option_] = values;
  const auto names = "{" + joined_by(values, ",") + "}";
  option_->check(CLI::Validator(
      [values = std::move(values)](const std::string& text) {
        if (std::find(values.begin(), values.end(), text) != values.end()) return std::string();
        return "expected " + joined_by(values, ", ") + ", not " + text + meant(text, values);
      },
      names));
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
  return {*command, *line_};
}

Argument Command::add(const char* name, std::string& value, const char* description) const {
  return {app_->add_option(name, value, description), *line_};
}

Argument Command::add(const char* name, std::int64_t& value, const char* description) const {
  return {app_->add_option(name, value, description), *line_};
}

Argument Command::add(const char* name, std::uint64_t& value, const char* description) const {
  return {app_->add_option(name, value, description), *line_};
}

Argument Command::add(const char* name, std::vector<std::string>& value, const char* description) const {
  return {app_->add_option(name, value, description), *line_};
}

Argument Command::add(const char* name, std::vector<std::int64_t>& value, const char* description) const {
  return {app_->add_option(name, value, description), *line_};
}

Argument Command::add_program(const char* name, std::vector<std::string>& value, const char* description) const {
  line_->programs[app_] = &value;
  return add(name, value, description).once_each();
}

void Command::add_flag(const char* name, bool& value, const char* description) const {
  app_->add_flag(name, value, description);
}

void Command::show_after_help(const char* words) const { app_->footer(words); }

namespace {

std::vector<const CLI::App*> commands_below(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : commands_below(command)) names.push_back(below->get_name());
  return names;
}

Command::Outline outline_of(const CLI::App& app, const CommandLine& line) {
  Command::Outline outline{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const bool is_positional : {true, false})
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() != is_positional) continue;
      const auto values = line.values.find(option);
      const auto name = is_positional ? option->get_name(true) : "--" + option->get_lnames().front();
      outline.options.push_back({name, option->get_description(), option->get_items_expected_max() == 0,
                                 values == line.values.end() ? std::vector<std::string>() : values->second});
    }
  for (const CLI::App* command : commands_below(app)) outline.commands.push_back(outline_of(*command, line));
  return outline;
}

}  // namespace

Command::Outline Command::outline() const { return outline_of(*app_, *line_); }

ctxmgr::Result<std::string> Command::help_of(const std::vector<std::string>& words) const {
  const CLI::App* command = app_;
  auto name = app_->get_name();
  for (const auto& word : words) {
    const auto below = commands_below(*command);
    const auto is_this = [&](const CLI::App* other) { return other->get_name() == word; };
    const auto found = std::find_if(below.begin(), below.end(), is_this);
    if (found == below.end())
      return ctxmgr::fail(
          ctxmgr::ErrorCode::invalid_argument,
          std::string(name).append(" has no command ").append(word).append(meant(word, names_below(*command))));
    command = *found;
    name += " " + word;
  }
  return command->get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal);
}

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
  app_->callback([work = std::move(work), line = line_, app = app_] {
    if (const auto program = line->programs.find(app); program != line->programs.end())
      program->second->insert(program->second->end(), line->arguments.begin(), line->arguments.end());
    line->exit_code = work();
  });
}

namespace {

/// The command that was meant, and those above it: its own first.
std::vector<const CLI::App*> meant_by(const CLI::App& app) {
  std::vector<const CLI::App*> commands{&app};
  while (!commands.front()->get_subcommands().empty())
    commands.insert(commands.begin(), commands.front()->get_subcommands().front());
  return commands;
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
  const auto below = names_below(*commands.front());
  return below.empty() ? problem : "a subcommand is missing: " + joined_by(below, ", ");
}

/// Names of the options of these commands, with their dashes.
std::vector<std::string> options_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands)
    for (const CLI::Option* option : command->get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// "--budget needs a value", where that is what the parser says with its own words.
std::string without_value(const std::vector<const CLI::App*>& commands, const std::string& problem) {
  const auto named = problem.substr(0, problem.find(':'));
  for (const CLI::App* command : commands)
    for (const CLI::Option* option : command->get_options())
      if (option->get_name() == named && option->get_items_expected_min() > 0)
        return named + " needs a value: " + option->get_description();
  return problem;
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
    problem = "there is no subcommand " + *word + meant(*word, names_below(*commands.front()));
  } else if (option != unknown.end() && (is_extra || names_none)) {
    problem = "there is no option " + *option + meant(option->substr(0, option->find('=')), options_of(commands));
  } else if (word != unknown.end() && is_extra) {
    problem = "nothing takes the argument " + *word;
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    problem = missing_in(commands, problem);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    problem = without_value(commands, problem);
  }
  std::string name;
  for (const CLI::App* command : commands) name.insert(0, " ").insert(0, command->get_name());
  return problem + " (" + name + "--help lists the options)";
}

/// How many words are to be read; the arguments of a program are put aside, as they stand.
int words_to_read(const CLI::App& app, CommandLine& line, int argc, char** argv) {
  char** const end = argv + argc;
  char** const mark = std::find(argv + 1, end, std::string_view("--"));
  const auto commands = commands_below(app);
  for (char** word = argv + 1; mark != end && word != mark; ++word)
    for (const CLI::App* command : commands) {
      if (command->get_name() != *word) continue;
      if (line.programs.count(command) == 0) return argc;
      char** const behind = std::min(mark + 2, end);
      line.arguments.assign(behind, end);
      return static_cast<int>(behind - argv);
    }
  return argc;
}

}  // namespace

int run_command_line(int argc, char** argv, const std::function<void(const Command&)>& add) {
  CLI::App app("Chooses what a language model sees, within a token budget.", "ctxpack");
  app.require_subcommand(1);
  app.set_version_flag("--version", CTXPACK_VERSION);
  CommandLine line;
  const Command program(app, line);
  const char* const path = std::getenv("CTXPACK_CONFIG");
  const bool is_given = path != nullptr && *path != '\0';
  app.set_config("--config", is_given ? path : "", "File of options, such as [serve] with upstream = \"…\"", is_given);
  program.show_after_help(
      "Examples:\n"
      "  ctxpack build request.json --budget 8000 --explain\n"
      "  ctxpack serve --upstream https://api.openai.com/v1 --budget 32000\n"
      "  ctxpack help COMMAND");
  add(program);
  try {
    app.parse(words_to_read(app, line, argc, argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version.
    return report({ctxmgr::ErrorCode::invalid_argument, problem_of(app, error), {}});
  } catch (const std::exception& error) {
    return report({ctxmgr::ErrorCode::internal, error.what(), {}});
  }
  return line.exit_code;
}

}  // namespace ctxpack
