#include "engine/history/trace.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/json.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/structure/call_line.hpp"
#include "engine/structure/text_command.hpp"
#include "engine/words/names.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_path = 200;
constexpr std::size_t most_command_bytes = 80;
constexpr std::size_t most_argument_bytes = 60;
constexpr std::size_t longest_outcome = 60;
constexpr std::size_t most_decision_bytes = 120;
constexpr std::size_t most_read = 20'000;  // bytes of a command line: a longer one carries a file

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <std::size_t Size>
bool is_one_of(std::string_view word, const std::array<std::string_view, Size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// By what tools that change something are called.
bool changes_by_name(std::string_view tool) {
  const auto name = ascii::lower_case(std::string(tool));
  constexpr std::array<std::string_view, 13> verbs{"write",  "edit", "create", "delete", "remove", "replace", "insert",
                                                   "rename", "move", "patch",  "append", "save",   "update"};
  return std::any_of(verbs.begin(), verbs.end(), [&name](std::string_view verb) { return contains(name, verb); });
}

/// By what tools that only look are called: one of the words of "get_file" or "mcp__github__list_issues".
bool looks_by_name(std::string_view tool) {
  constexpr std::array<std::string_view, 16> verbs{"get",   "read",     "list", "find",  "search", "view",
                                                   "fetch", "look",     "show", "query", "think",  "grep",
                                                   "glob",  "describe", "open", "load"};
  const auto name = ascii::lower_case(std::string(tool));
  for (std::size_t begin = 0; begin < name.size();) {
    const auto end = std::min(name.find_first_of("_-./:", begin), name.size());
    if (is_one_of(std::string_view(name).substr(begin, end - begin), verbs)) return true;
    begin = end + 1;
  }
  return false;
}

bool is_path_argument(std::string_view key) {
  const auto name = ascii::lower_case(std::string(key));
  return contains(name, "path") || contains(name, "file") || name == "target" || name == "destination" ||
         name == "source";
}

bool is_command_argument(std::string_view key) {
  constexpr std::array<std::string_view, 6> names{"command", "cmd", "bash", "script", "commands", "code"};
  return is_one_of(key, names);
}

/// Sub-commands of editors that only look.
bool only_looks(const Json& arguments) {
  const auto* command = arguments.find("command");
  if (command == nullptr || !command->is_string()) return false;
  constexpr std::array<std::string_view, 5> looks{"view", "read", "list", "undo_edit", "open"};
  return is_one_of(command->string(), looks);
}

/// A statement of a database that only reads.
bool only_selects(std::string_view text) {
  constexpr std::array<std::string_view, 5> words{"select", "show", "describe", "explain", "pragma"};
  text = ascii::trimmed(text);
  return is_one_of(ascii::lower_case(std::string(text.substr(0, text.find_first_of(" \t\n(")))), words);
}

bool is_path(std::string_view word) {
  if (word.empty() || word.size() > longest_path || word.front() == '-' || word.front() == '&') return false;
  if (word.substr(0, 5) == "/dev/" || word.find_first_of("*$(){}<>|;`=") != std::string_view::npos) return false;
  return word.find_first_of("./") != std::string_view::npos && word.find_first_not_of("./~") != std::string_view::npos;
}

/// Words of one line, quotes taken away; operators are words of their own. Texts of here-documents are not read.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  const auto close = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t') {
      close();
    } else if (c == '>' || c == '|' || c == ';' || c == '&') {
      if (c == '>' && (word == "2" || word == "1")) word.clear();
      close();
      const bool redirects = c == '>' && i + 1 < line.size() && line[i + 1] == '&';
      if (words.empty() || words.back() != ">" || c != '>') words.emplace_back(redirects ? ";" : std::string(1, c));
    } else {
      word += c;
    }
  }
  close();
  return words;
}

void read_line(std::string_view line, std::vector<std::string>& paths) {
  const auto words = words_of(line);
  const auto is_operator = [](const std::string& word) { return word == ";" || word == "|" || word == "&"; };
  for (std::size_t first = 0; first < words.size();) {
    auto end = first;
    while (end < words.size() && !is_operator(words[end])) ++end;
    auto program = first < end ? words[first] : std::string();
    auto from = first + 1;
    if (program == "git" && from < end) program += " " + words[from++];
    constexpr std::array<std::string_view, 9> writers{"tee", "touch", "mkdir",  "cp",    "mv",
                                                      "rm",  "rmdir", "git mv", "git rm"};
    const bool edits = program == "sed" && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(first),
                                                       words.begin() + static_cast<std::ptrdiff_t>(end),
                                                       [](const auto& w) { return w.substr(0, 2) == "-i"; });
    if (is_one_of(program, writers) || edits) {
      for (auto i = edits ? end - 1 : from; i < end; ++i)
        if (words[i] != ">" && is_path(words[i])) paths.push_back(words[i]);
    }
    for (auto i = first; i + 1 < end; ++i)
      if (words[i] == ">" && is_path(words[i + 1])) paths.push_back(words[i + 1]);
    first = end + 1;
  }
}

/// The word that ends a here-document which the line opens; empty where it opens none.
std::string end_of_document(std::string_view line) {
  const auto at = line.find("<<");
  if (at == std::string_view::npos) return {};
  auto rest = line.substr(at + 2);
  while (!rest.empty() && (rest.front() == '-' || rest.front() == ' ' || rest.front() == '\'' || rest.front() == '"'))
    rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && ((rest[end] >= 'A' && rest[end] <= 'Z') || (rest[end] >= 'a' && rest[end] <= 'z') ||
                               rest[end] == '_' || (rest[end] >= '0' && rest[end] <= '9')))
    ++end;
  return std::string(rest.substr(0, end));
}

bool shows(const std::vector<std::string>& words, std::size_t first, std::size_t end) {
  constexpr std::array<std::string_view, 27> shows{
      "cd",   "ls",  "cat", "head", "tail", "grep", "rg",   "egrep", "find", "nl",     "wc",  "echo",  "pwd",  "tree",
      "sort", "awk", "sed", "uniq", "file", "stat", "diff", "less",  "env",  "printf", "cut", "which", "xargs"};
  constexpr std::array<std::string_view, 6> of_git{"log", "show", "diff", "status", "blame", "grep"};
  if (first >= end) return true;
  return words[first] == "git" ? first + 1 < end && is_one_of(words[first + 1], of_git)
                               : is_one_of(words[first], shows);
}

/// "</output>" or "<returncode>0</returncode>": the frame that a harness puts around what a tool said.
bool is_frame(std::string_view line) {
  if (line.size() < 3 || line.front() != '<' || line.back() != '>') return false;
  const auto inside = line.substr(std::min(line.find('>'), line.size() - 1) + 1);
  const auto content = inside.substr(0, inside.find("</"));
  return content.find_first_not_of("0123456789-") == std::string_view::npos &&
         line.find_first_of(" \t") == std::string_view::npos;
}

/// "===== 3 passed in 0.71s =====" is "3 passed in 0.71s"; a sign alone stays.
std::string_view without_ruling(std::string_view line) {
  constexpr std::string_view ruling = "=-*~#_ ";
  const auto first = line.find_first_not_of(ruling);
  const bool is_ruled = line.size() > 1 && line[0] != ' ' && line[0] == line[1];
  return !is_ruled || first == std::string_view::npos ? line
                                                      : line.substr(first, line.find_last_not_of(ruling) + 1 - first);
}

/// The last line with something on it but a tag: tools say there how they ended.
std::string last_line(std::string_view text) {
  for (text = ascii::trimmed(text); !text.empty();) {
    const auto end = text.rfind('\n');
    const auto line = ascii::trimmed(text.substr(end == std::string_view::npos ? 0 : end + 1));
    if (!is_frame(line)) return single_line(without_ruling(line), longest_outcome);
    text = ascii::trimmed(text.substr(0, end == std::string_view::npos ? 0 : end));
  }
  return {};
}

/// Without the way to the folder that it is run in: "cd /srv/library && pytest" is "pytest".
std::string_view behind_cd(std::string_view command) {
  command = ascii::trimmed(command);
  const auto next = command.find("&&");
  if (command.substr(0, 3) != "cd " || next == std::string_view::npos || contains(command.substr(0, next), "\n"))
    return command;
  return ascii::trimmed(command.substr(next + 2));
}

/// The line that says what is done: behind comments, and without a text that it is fed.
std::string_view first_command(std::string_view command) {
  command = behind_cd(command);
  while (!command.empty() && command.front() == '#' && contains(command, "\n"))
    command = behind_cd(command.substr(command.find('\n') + 1));
  const auto line = command.substr(0, command.find('\n'));
  return end_of_document(line).empty() ? command : line;
}

std::string outcome_of(std::string_view result) {
  auto said = last_line(result);
  if (said.empty()) said = is_failed_result(result) ? "failed" : "ok";
  return said;
}

std::optional<TracedStep> step_of_command(std::string_view command, std::string_view result) {
  if (command.empty() || command.size() > most_read) return std::nullopt;
  auto changed = changed_by_command(command);
  if (changed.empty() && only_shows(command)) return std::nullopt;
  const auto first = first_command(command);
  TracedStep step{single_line(first, most_command_bytes), outcome_of(result), {}};
  // A text that is fed, or a way to a folder, may stand before the file.
  if (!changed.empty() && !contains(step.did, changed.front()))
    step.did = std::string(first.substr(0, first.find_first_of(" \t\n"))).append(" \u2026 ").append(changed.front());
  step.about = changed.size() == 1 ? std::move(changed.front()) : step.did;
  return step;
}

/// What a tool that changes files wrote: where, and the first name in it.
std::string edit_of(const ToolCall& call, const Json& arguments) {
  std::string path;
  std::string name;
  for (const auto& [key, value] : arguments.members()) {
    if (!value.is_string()) continue;
    if (is_path_argument(key) && path.empty() && value.string().size() <= longest_path) path = " " + value.string();
    const bool is_text = key == "old_str" || key == "new_str" || key == "old_string" || key == "new_string";
    if (!is_text || !name.empty()) continue;
    const auto names = names_in(value.string());
    if (!names.empty()) name = " " + std::string(names.front());
  }
  return path.empty() ? std::string() : call.name + path + name;
}

bool may_edit(const ToolCall& call, const Json& arguments) {
  if (only_looks(arguments)) return false;
  const auto has = [&arguments](std::string_view key) { return arguments.find(key) != nullptr; };
  return has("old_str") || has("new_str") || has("file_text") || changes_by_name(call.name);
}

/// Seen without reading the arguments, since most calls only look.
bool may_change(const ToolCall& call) {
  constexpr std::array<std::string_view, 12> signs{"old_str", "new_str", "file_text", ">",   "u003e", "tee",
                                                   "touch",   "mkdir",   "cp ",       "mv ", "rm",    "sed "};
  return changes_by_name(call.name) || std::any_of(signs.begin(), signs.end(), [&call](std::string_view sign) {
           return contains(call.arguments_json, sign);
         });
}

bool is_command_line(const std::string& key, const std::string& value, const Json& arguments) {
  return is_command_argument(key) && (contains(value, " ") || arguments.members().size() == 1);
}

std::optional<TracedStep> step_of_call(const ToolCall& call, std::string_view result) {
  const auto arguments = parse_json(call.arguments_json);
  if (!arguments || !arguments->is_object()) return std::nullopt;
  for (const auto& [key, value] : arguments->members()) {
    if (!value.is_string()) continue;
    if (is_command_line(key, value.string(), *arguments)) return step_of_command(value.string(), result);
    if (only_selects(value.string())) return std::nullopt;
  }
  if (only_looks(*arguments)) return std::nullopt;
  if (may_edit(call, *arguments)) {
    if (const auto edit = edit_of(call, *arguments); !edit.empty())
      return TracedStep{edit, is_failed_result(result) ? "failed" : "ok", edit};
  } else if (looks_by_name(call.name)) {
    return std::nullopt;
  }
  const auto did = single_line(call.name + " " + argument_values(call.arguments_json, " "), most_argument_bytes);
  return TracedStep{did, outcome_of(result), did};
}

}  // namespace

std::optional<TracedStep> traced_step(const std::vector<ConversationMessage>& messages, std::size_t message) {
  const auto& last = messages[message];
  const auto text = last.role == Role::tool ? all_text_of(last) : text_of(last);
  if (last.role == Role::tool) {
    const auto* const call = call_answered_by(messages, message);
    return call == nullptr ? std::nullopt : step_of_call(*call, text);
  }
  if (last.role == Role::user) return step_of_command(text_command_answered_by(messages, message), text);
  if (last.role != Role::assistant || !last.tool_calls.empty() || !text_command_of(last).empty()) return std::nullopt;
  const auto said = single_line(text, most_decision_bytes);
  return said.empty() ? std::nullopt : std::optional(TracedStep{"answered", "\"" + said + "\"", "answered"});
}

std::vector<std::string> changed_by_command(std::string_view command) {
  std::vector<std::string> paths;
  std::string document;
  while (!command.empty()) {
    const auto end = std::min(command.find('\n'), command.size());
    const auto line = command.substr(0, end);
    command.remove_prefix(std::min(end + 1, command.size()));
    if (!document.empty()) {
      if (ascii::trimmed(line) == document) document.clear();
      continue;
    }
    document = end_of_document(line);
    read_line(line, paths);
  }
  return paths;
}

std::vector<std::string> changed_by(const ToolCall& call) {
  std::vector<std::string> paths;
  if (!may_change(call)) return paths;
  const auto arguments = parse_json(call.arguments_json);
  if (!arguments || !arguments->is_object()) return paths;
  const bool edits = may_edit(call, *arguments);
  for (const auto& [key, value] : arguments->members()) {
    if (!value.is_string()) continue;
    if (is_command_line(key, value.string(), *arguments)) return changed_by_command(value.string());
    if (edits && is_path_argument(key) && is_path(value.string())) paths.push_back(value.string());
  }
  return paths;
}

std::vector<std::string> files_shown_by(std::string_view command) {
  std::vector<std::string> paths;
  if (!only_shows(command)) return paths;
  for (auto& word : words_of(command.substr(0, most_read)))
    if (is_path(word)) paths.push_back(std::move(word));
  return paths;
}

std::vector<std::string> files_named_by(const ToolCall& call) {
  std::vector<std::string> paths;
  const auto arguments = parse_json(call.arguments_json);
  if (!arguments || !arguments->is_object()) return paths;
  for (const auto& [key, value] : arguments->members()) {
    if (!value.is_string()) continue;
    if (is_command_line(key, value.string(), *arguments)) return files_shown_by(value.string());
    if (is_path_argument(key) && is_path(value.string())) paths.push_back(value.string());
  }
  return paths;
}

bool only_shows(std::string_view command) {
  while (!command.empty()) {
    const auto line = command.substr(0, command.find('\n'));
    command.remove_prefix(std::min(line.size() + 1, command.size()));
    const auto words = words_of(line);
    for (std::size_t first = 0; first < words.size();) {
      auto end = first;
      while (end < words.size() && words[end] != ";" && words[end] != "|" && words[end] != "&") ++end;
      if (!shows(words, first, end)) return false;
      first = end + 1;
    }
  }
  return true;
}

}  // namespace ctxmgr::engine
