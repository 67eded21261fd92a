#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// \file
/// Subcommands and their arguments, without the headers of the parser behind them: those cost each source five seconds.
namespace ctxpack {

/// What the commands of one command line share.
struct CommandLine;

/// An argument that has been added; each call says more about it.
class Argument {
 public:
  Argument(CLI::Option* option, CommandLine& line) : option_(option), line_(&line) {}

  Argument required();
  Argument one_of(std::vector<std::string> values);
  Argument in_range(std::int64_t least, std::int64_t most);
  Argument positive();
  Argument not_negative();
  Argument once_each();                   ///< Each value has the name before it, so that others can follow.
  Argument separated_by(char delimiter);  ///< For several values in one word.
  Argument excludes(Argument other);
  Argument needs(Argument other);

 private:
  friend class Command;
  CLI::Option* option_;
  CommandLine* line_;
};

/// The program or a subcommand of it. What it writes to must outlive the parsing.
class Command {
 public:
  Command(CLI::App& app, CommandLine& line) : app_(&app), line_(&line) {}

  [[nodiscard]] Command add_command(const char* name, const char* description) const;

  /// "--name" or "-n,--name" is an option; a name without dashes is an argument by its place.
  Argument add(const char* name, std::string& value, const char* description = "") const;
  Argument add(const char* name, std::int64_t& value, const char* description = "") const;
  Argument add(const char* name, std::uint64_t& value, const char* description = "") const;
  Argument add(const char* name, std::vector<std::string>& value, const char* description = "") const;
  Argument add(const char* name, std::vector<std::int64_t>& value, const char* description = "") const;
  /// A program and its arguments, behind "--". No word of them is an option of this command.
  Argument add_program(const char* name, std::vector<std::string>& value, const char* description) const;
  void add_flag(const char* name, bool& value, const char* description) const;

  /// Calling it without one of its subcommands is an error.
  void require_command() const;
  void require_one_of(Argument first, Argument second) const;

  /// Words for after the list of options.
  void show_after_help(const char* words) const;

  struct Option {
    std::string name{};  ///< "--budget", or of an argument by its place "request".
    std::string description{};
    bool is_flag = false;
    std::vector<std::string> values{};  ///< Those that it may have; empty where any may stand.
  };
  /// Every command below this one, with its options: for completions and pages.
  struct Outline {
    std::string name{};
    std::string description{};
    std::string after_help{};
    std::vector<Option> options{};  ///< Arguments by their place first.
    std::vector<Outline> commands{};
  };
  [[nodiscard]] Outline outline() const;

  /// The help of the command below this one that these words name; the error says which word names none.
  [[nodiscard]] ctxmgr::Result<std::string> help_of(const std::vector<std::string>& words) const;

  /// What it does, once all arguments are read; the result becomes the exit code.
  void run(std::function<int()> work) const;

 private:
  CLI::App* app_;
  CommandLine* line_;
};

/// Reads the command line and runs what it names. `add` adds the subcommands.
int run_command_line(int argc, char** argv, const std::function<void(const Command&)>& add);

}  // namespace ctxpack
