#include "engine/history/changes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/json.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/structure/call_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_path = 200;
constexpr std::size_t most_command_bytes = 80;
constexpr std::size_t longest_outcome = 60;
constexpr std::size_t most_read = 20'000;  // bytes of a command line: a longer one carries a file
constexpr std::size_t most_open = 64;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <std::size_t Size>
bool is_one_of(std::string_view word, const std::array<std::string_view, Size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// By what tools that change files are called.
bool changes_files(std::string_view tool) {
  const auto name = ascii::lower_case(std::string(tool));
  constexpr std::array<std::string_view, 12> verbs{"write",  "edit",   "create", "delete", "remove", "replace",
                                                   "insert", "rename", "move",   "patch",  "append", "save"};
  return std::any_of(verbs.begin(), verbs.end(), [&name](std::string_view verb) { return contains(name, verb); });
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

bool is_path(std::string_view word) {
  if (word.empty() || word.size() > longest_path || word.front() == '-' || word.front() == '&') return false;
  if (word.substr(0, 5) == "/dev/" || word.find_first_of("*$(){}<>|;`=") != std::string_view::npos) return false;
  return word.find_first_of("./") != std::string_view::npos && word.find_first_not_of("./~") != std::string_view::npos;
}

bool is_temporary(std::string_view path) { return path.substr(0, 5) == "/tmp/" || path.substr(0, 9) == "/var/tmp/"; }

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

/// "</output>" or "<returncode>0</returncode>": the frame that a harness puts around what a tool said.
bool is_frame(std::string_view line) {
  if (line.size() < 3 || line.front() != '<' || line.back() != '>') return false;
  const auto inside = line.substr(std::min(line.find('>'), line.size() - 1) + 1);
  const auto content = inside.substr(0, inside.find("</"));
  return content.find_first_not_of("0123456789-") == std::string_view::npos &&
         line.find_first_of(" \t") == std::string_view::npos;
}

/// The last line with something on it but a tag: tools say there how they ended.
std::string last_line(std::string_view text) {
  for (text = ascii::trimmed(text); !text.empty();) {
    const auto end = text.rfind('\n');
    const auto line = ascii::trimmed(text.substr(end == std::string_view::npos ? 0 : end + 1));
    if (!is_frame(line)) return single_line(line, longest_outcome);
    text = ascii::trimmed(text.substr(0, end == std::string_view::npos ? 0 : end));
  }
  return {};
}

/// Of a call: the paths that it changes, and the command line that it runs.
struct ReadCall {
  std::vector<std::string> paths{};
  std::string command{};
};

ReadCall read_call(const ToolCall& call) {
  ReadCall read;
  const auto arguments = parse_json(call.arguments_json);
  if (!arguments || !arguments->is_object()) return read;
  const bool writes = changes_files(call.name) && !only_looks(*arguments);
  const bool may_edit = arguments->find("old_str") != nullptr || arguments->find("new_str") != nullptr ||
                        arguments->find("file_text") != nullptr;
  for (const auto& [key, value] : arguments->members()) {
    if (!value.is_string()) continue;
    const auto& text = value.string();
    if ((writes || may_edit) && is_path_argument(key) && !text.empty() && text.size() <= longest_path)
      read.paths.push_back(text);
    if (!is_command_argument(key) || text.size() > most_read) continue;
    const auto changed = changed_by_command(text);
    read.paths.insert(read.paths.end(), changed.begin(), changed.end());
    if (text.find(' ') != std::string::npos) read.command = single_line(text, most_command_bytes);
  }
  return read;
}

}  // namespace

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

void ThreadChanges::extend(const std::vector<ConversationMessage>& messages) {
  for (; read_ < messages.size(); ++read_) {
    if (!messages[read_].tool_calls.empty()) read_calls(messages, read_);
    if (messages[read_].role != Role::tool) continue;
    const auto open = std::find_if(open_commands_.begin(), open_commands_.end(),
                                   [&](const auto& o) { return o.first == messages[read_].tool_call_id; });
    if (open == open_commands_.end()) continue;
    const auto text = text_of(messages[read_]);
    runs_.push_back({read_, std::move(open->second), is_failed_result(text), last_line(text)});
    bytes_ += sizeof(Run) + runs_.back().command.size() + runs_.back().said.size();
    open_commands_.erase(open);
  }
}

void ThreadChanges::read_calls(const std::vector<ConversationMessage>& messages, std::size_t caller) {
  for (const auto& call : messages[caller].tool_calls) {
    auto read = read_call(call);
    for (auto& path : read.paths) {
      bytes_ += sizeof(Change) + path.size();
      changes_.push_back({caller, std::move(path)});
    }
    if (read.command.empty()) continue;
    if (open_commands_.size() >= most_open) open_commands_.erase(open_commands_.begin());
    open_commands_.emplace_back(call.id, std::move(read.command));
  }
}

std::vector<std::string> ThreadChanges::changed_before(std::size_t end) const {
  std::vector<std::string> newest_first;
  std::set<std::string_view> seen;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
    if (change->message < end && seen.insert(change->path).second) newest_first.push_back(change->path);
  // Scripts that are run once and thrown away say least about what was done.
  std::stable_partition(newest_first.begin(), newest_first.end(), [](const auto& path) { return !is_temporary(path); });
  return {newest_first.rbegin(), newest_first.rend()};
}

std::vector<std::pair<ThreadChanges::Run, ThreadChanges::Run>> ThreadChanges::repeated_before(std::size_t end) const {
  std::map<std::string_view, std::vector<const Run*>> by_command;
  for (const auto& run : runs_)
    if (run.message < end) by_command[run.command].push_back(&run);
  std::vector<std::pair<Run, Run>> repeated;
  const auto is_silent = [](const Run& run) { return !run.failed && run.said.empty(); };
  for (const auto& [command, runs] : by_command) {
    if (runs.size() < 2) continue;
    const auto &before = *runs[runs.size() - 2], &last = *runs.back();
    if (!is_silent(before) || !is_silent(last)) repeated.emplace_back(before, last);
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const auto& a, const auto& b) { return a.second.message < b.second.message; });
  return repeated;
}

}  // namespace ctxmgr::engine
