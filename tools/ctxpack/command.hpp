#pragma once
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "ctxmgr/core/error.hpp"

/// \file
/// What the subcommands of ctxpack share. Each stands in a source file of its own, on the public API only, and adds
/// itself to the program.
namespace ctxpack {

enum ExitCode : int {
  success = 0,
  absent = 1,          ///< A thing asked for is not there.
  bad_input = 2,       ///< Usage, or input that cannot be read.
  does_not_fit = 3,    ///< The parts that must be sent are over the budget.
  service_failed = 4,  ///< And falling back was not allowed.
  internal = 5,
};

/// Text as one line on which a terminal does not act.
[[nodiscard]] std::string printable(std::string_view text);

/// An id or key, which may be any bytes: what a terminal could act on is written as \xHH.
[[nodiscard]] std::string printable_id(std::string_view id);

/// Text as a JSON string; what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// Prints one line on standard error, and returns the exit code for this error.
int report(const ctxmgr::Error& error, std::string_view where = {});

/// The exit code for what was done: 0, or that of the error, which is printed.
int finish(const ctxmgr::Result<void>& done);

/// "notes: cannot be read: it is a folder", for a file that could not be opened or read.
[[nodiscard]] ctxmgr::Error unreadable(const std::string& path);

/// A whole file, or standard input for "-". `invalid_argument` names the file.
[[nodiscard]] ctxmgr::Result<std::string> read_input(const std::string& path);

/// Writes a whole file, or to standard output for "-" or an empty path.
[[nodiscard]] ctxmgr::Result<void> write_output(const std::string& path, std::string_view text);

/// Shows what was done so far, on a line that is written over, where a person watches standard error; the line goes with it.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  void show(std::string_view done);

 private:
  bool watched_;
};

void add_build(const Command& program);
void add_plan(const Command& program);
void add_count(const Command& program);
void add_thread(const Command& program);
void add_replay(const Command& program);
void add_render(const Command& program);
void add_context(const Command& program);
void add_tokens(const Command& program);
void add_select(const Command& program);
void add_simulate(const Command& program);
void add_completions(const Command& program);
void add_help(const Command& program);
void add_mcp(const Command& program);
void add_report(const Command& program);
void add_serve(const Command& program);
void add_run(const Command& program);

}  // namespace ctxpack
