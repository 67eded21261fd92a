#include "work_state.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "literals.hpp"

namespace ctxpack {

using ctxmgr::ConversationMessage;
using ctxmgr::Role;

namespace {

constexpr std::size_t longest_ending = 40;
constexpr std::size_t longest_command = 40;  // What names it.
constexpr std::size_t shortest_line = 12;
constexpr std::size_t near = 240;

template <std::size_t Count>
bool is_one_of(std::string_view word, const std::array<std::string_view, Count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words of a command line without their quotes; operators are words of their own.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        words.back() += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t' || c == '>' || c == '|' || c == ';' || c == '&') {
      if (!words.back().empty()) words.emplace_back();
      if (c == ' ' || c == '\t') continue;
      words.back() = c;
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_operator(const std::string& word) { return word == "|" || word == ";" || word == "&"; }

bool is_written_path(const std::string& word) {
  return word.size() > 1 && word[0] != '-' && word.substr(0, 5) != "/dev/" &&
         word.find_first_of("$*(){}<>=") == std::string::npos && word.find_first_of("./") != std::string::npos;
}

struct CommandLines {
  std::vector<std::string> run{};
  std::string documents{};  ///< Bodies of here-documents.
};

CommandLines command_lines(std::string_view command) {
  CommandLines lines;
  std::string end;
  for (const auto& line : lines_of(command)) {
    if (!end.empty() && line.substr(0, end.size()) == end) {
      end.clear();
    } else if (!end.empty()) {
      lines.documents += line + "\n";
    } else {
      lines.run.push_back(line);
      const auto mark = line.find("<<");
      const auto first = mark == std::string::npos ? mark : line.find_first_not_of("<-'\" ", mark);
      if (first != std::string::npos) end = line.substr(first, line.find_first_of("'\" \t;>|&", first) - first);
    }
  }
  return lines;
}

/// What `s/old/new/` replaces, without its escapes; empty for another word.
std::string replaced_by(const std::string& word) {
  if (word.size() < 4 || word[0] != 's' || std::ispunct(static_cast<unsigned char>(word[1])) == 0) return {};
  std::string old;
  for (std::size_t i = 2; i < word.size() && word[i] != word[1]; ++i) {
    if (word[i] == '\\' && i + 1 < word.size()) ++i;
    old += word[i];
  }
  return old;
}

/// One thing that a reply did.
struct WorkAction {
  std::string call{};     ///< Id; empty where the run has no calls.
  std::string command{};  ///< Of a shell; empty for other tools, and where it only looks.
  std::vector<std::string> edited{};
  std::string text{};  ///< Of an edit: what it replaces and writes.
};

bool only_looks(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 18> lookers{"cat",  "head",  "tail", "sed",  "grep", "rg",
                                                     "ls",   "find",  "nl",   "wc",   "pwd",  "tree",
                                                     "echo", "which", "awk",  "stat", "file", "mkdir"};
  constexpr std::array<std::string_view, 4> git{"diff", "log", "show", "status"};
  if (words.empty()) return true;
  return is_one_of(words[0], lookers) || (words[0] == "git" && words.size() > 1 && is_one_of(words[1], git));
}

/// Without "cd folder &&" before it; white space as one blank.
std::string run_by(std::string_view command) {
  auto text = flat(command);
  if (text.find_first_not_of(' ') == std::string::npos) return {};
  text.erase(0, text.find_first_not_of(' '));
  if (const auto end = text.find("&& "); text.substr(0, 3) == "cd " && end != std::string::npos) text.erase(0, end + 3);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return only_looks(shell_words(text.substr(0, text.find("<<")))) ? std::string() : text;
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

WorkAction action_of_command(std::string_view command) {
  auto lines = command_lines(command);
  WorkAction action{{}, run_by(command), written_by(command), std::move(lines.documents)};
  for (const auto& line : lines.run)
    for (const auto& word : shell_words(line)) action.text += replaced_by(word) + "\n";
  return action;
}

WorkAction action_of(const ctxmgr::ToolCall& call) {
  constexpr std::array<std::string_view, 2> commands{"command", "cmd"};
  constexpr std::array<std::string_view, 6> paths{"path", "file_path", "filepath", "filename", "file", "target_file"};
  constexpr std::array<std::string_view, 9> texts{"new_str", "new_string", "file_text",   "content",    "contents",
                                                  "text",    "new_text",   "insert_text", "replacement"};
  const auto arguments = nlohmann::json::parse(call.arguments_json, nullptr, false);
  std::string command;
  std::string path;
  bool has_text = false;
  std::string text;
  if (arguments.is_object())
    for (const auto& [key, value] : arguments.items()) {
      if (!value.is_string()) continue;
      const auto& words = value.get_ref<const std::string&>();
      if (is_one_of(key, commands)) command = words;
      (is_one_of(key, paths) ? path : text) += words + "\n";
      has_text = has_text || is_one_of(key, texts);
    }
  if (!path.empty()) path.pop_back();
  auto action = path.empty() && !command.empty() ? action_of_command(command) : WorkAction{{}, {}, {}, std::move(text)};
  if (!path.empty() && has_text) action.edited.push_back(path);
  action.call = call.id;
  return action;
}

std::vector<WorkAction> actions_of(const ConversationMessage& message, bool text_protocol) {
  std::vector<WorkAction> actions;
  for (const auto& call : message.tool_calls) actions.push_back(action_of(call));
  if (text_protocol)
    for (const auto& block : code_blocks(ctxmgr::text_of(message), "bash")) actions.push_back(action_of_command(block));
  return actions;
}

std::string lowered(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

bool names_a_failure(std::string_view line) {
  const auto text = lowered(line);
  constexpr std::array<std::string_view, 6> words{"error",     "fail",    "exception",
                                                  "not found", "no such", "no replacement"};
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.find(word) != std::string::npos; });
}

/// "2 failed" or "failures=2"; empty where the line has none.
std::string count_in(const std::string& line) {
  constexpr std::array<std::string_view, 6> nouns{"failed", "passed", "errors", "error", "failures", "failure"};
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] < '0' || line[i] > '9' || (i > 0 && (std::isalnum(static_cast<unsigned char>(line[i - 1])) != 0)))
      continue;
    const auto end = std::min(line.find_first_not_of("0123456789", i), line.size());
    const auto word = line.substr(std::min(end + 1, line.size()), line.find_first_of(" ,.;)=", end + 1) - end - 1);
    if (end < line.size() && line[end] == ' ' && is_one_of(lowered(word), nouns))
      return line.substr(i, end + 1 + word.size() - i);
    const auto start = i > 1 && line[i - 1] == '=' ? line.find_last_of(" (,", i - 2) + 1 : i;
    if (start < i && is_one_of(lowered(line.substr(start, i - 1 - start)), nouns))
      return line.substr(start, end - start);
  }
  return {};
}

/// The frame that a harness puts around a result: "<output>".
bool is_markup(std::string_view line) {
  return line.size() > 1 && line.front() == '<' && line.back() == '>' && line.find(' ') == std::string_view::npos;
}

/// From its first letter or digit on, whole words of it.
std::string beginning_of(const std::string& line) {
  const auto first =
      std::find_if(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c > 127; });
  std::string text(first, line.end());
  if (text.size() <= longest_ending) return text;
  const auto space = text.rfind(' ', longest_ending);
  return text.substr(0, space == std::string::npos ? text.size() : space);
}

std::vector<std::string> silent_ending(std::string_view result) {
  const auto status = result.find("returncode>");
  const bool failed = status != std::string_view::npos && result.substr(status + 11, 2) != "0<";
  if (failed) return {"failed", "error", "Failed", "Error"};
  return {"ok", "OK", "done", "succeeded", "success", "edited", "written", "created", "updated", "no output"};
}

/// The newest outcome of each file and command, and what each file's messages say.
class WorkState {
 public:
  WorkState(const std::vector<ConversationMessage>& messages, Wants& wants)
      : messages_(messages), wants_(wants), text_protocol_(is_text_protocol(messages)) {
    for (const auto& message : messages) flat_.push_back(flat_text(message));
  }

  void read() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].role != Role::assistant) continue;
      const auto actions = actions_of(messages_[i], text_protocol_);
      if (i > 0) want_before(i, actions);
      for (const auto& action : actions) note(i, action);
    }
  }

 private:
  void want_before(std::size_t step, const std::vector<WorkAction>& actions) {
    for (const auto& [subject, outcome] : outcomes_)
      if (outcome.wanted != nullptr) wants_.by_step[step].push_back(outcome.wanted);
    for (const auto& action : actions)
      if (auto lines = known_lines(step, action); !lines.empty())
        wants_.by_step[step].push_back(wants_.add({Measure::texts, Look::all, std::move(lines)}));
  }

  /// Lines of an edit that stand in an earlier message about its file.
  std::vector<std::string> known_lines(std::size_t step, const WorkAction& action) {
    std::set<std::size_t> about;
    for (std::size_t i = 0; i < step; ++i)
      for (const auto& path : action.edited)
        if (messages_[i].role == Role::assistant && flat_[i].find(name_of(path)) != std::string::npos) {
          about.insert(i);
          for (auto result = i + 1; result < step && messages_[result].role != Role::assistant; ++result)
            about.insert(result);
        }
    std::vector<std::string> known;
    for (const auto& line : action.edited.empty() ? std::vector<std::string>() : lines_of(action.text)) {
      auto text = flat(line);
      text.erase(0, text.find_first_not_of(' '));
      while (!text.empty() && text.back() == ' ') text.pop_back();
      const auto has = [&](std::size_t i) { return flat_[i].find(text) != std::string::npos; };
      if (text.size() >= shortest_line && std::any_of(about.begin(), about.end(), has))
        known.push_back(std::move(text));
    }
    return known;
  }

  void note(std::size_t step, const WorkAction& action) {
    const auto result = result_of(step, action);
    if (result == no_message) return;
    for (const auto& path : action.edited) set(path, result, step, true);
    if (!action.command.empty() && action.edited.empty()) set(action.command, result, step, false);
  }

  [[nodiscard]] std::size_t result_of(std::size_t step, const WorkAction& action) const {
    for (auto i = step + 1; i < messages_.size() && messages_[i].role != Role::assistant; ++i)
      if (action.call.empty() || messages_[i].tool_call_id == action.call) return i;
    return no_message;
  }

  /// `subject`: a path or a command.
  void set(const std::string& subject, std::size_t result, std::size_t step, bool is_edit) {
    auto& outcome = outcomes_[subject];
    if (outcome.step == step) return;
    outcome.step = step;
    if (++outcome.times < 2 && !is_edit) return;
    const auto text = ctxmgr::text_of(messages_[result]);
    Wanted wanted{Measure::outcomes, Look::any, endings_of(text)};
    if (is_edit) {
      const auto silent = silent_ending(names_a_failure(text.substr(0, 200)) ? "returncode>1<" : text);
      wanted.texts.insert(wanted.texts.end(), silent.begin(), silent.end());
    }
    wanted.texts.push_back(is_edit ? name_of(subject) : subject.substr(0, longest_command));
    wanted.within = near;
    wanted.result = result;
    outcome.wanted = wants_.add(std::move(wanted));
  }

  struct Outcome {
    const Wanted* wanted = nullptr;
    std::size_t step = no_message;
    int times = 0;
  };

  const std::vector<ConversationMessage>& messages_;
  Wants& wants_;
  bool text_protocol_;
  std::vector<std::string> flat_;
  std::map<std::string, Outcome> outcomes_;  ///< By path or command.
};

}  // namespace

std::vector<std::string> written_by(std::string_view command) {
  std::vector<std::string> paths;
  for (const auto& line : command_lines(command).run) {
    const auto words = shell_words(line);
    std::string program;
    bool in_place = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (program.empty() || is_operator(words[i])) {
        program = is_operator(words[i]) ? std::string() : words[i];
        in_place = false;
        continue;
      }
      in_place = in_place || (program == "sed" && words[i].substr(0, 2) == "-i");
      const bool ends = i + 1 == words.size() || is_operator(words[i + 1]);
      if ((words[i - 1] == ">" || program == "tee" || (in_place && ends)) && is_written_path(words[i]))
        paths.push_back(words[i]);
    }
  }
  return paths;
}

std::vector<std::string> endings_of(std::string_view result) {
  constexpr std::size_t last_lines = 3;
  constexpr std::size_t lines_of_counts = 20;
  constexpr std::size_t most_lines = 200;
  std::vector<std::string> endings;
  std::string count;
  std::size_t lines = 0;
  const auto all = lines_of(result);
  for (auto line = all.rbegin(); line != all.rend() && lines < most_lines; ++line) {
    auto text = beginning_of(flat(*line));
    if (text.empty() || is_markup(*line)) continue;
    if (count.empty() && lines < lines_of_counts) count = count_in(flat(*line));
    if (lines++ < last_lines || (names_a_failure(*line) && endings.size() < 8)) endings.push_back(std::move(text));
  }
  if (!count.empty()) return {count};
  return endings.empty() ? silent_ending(result) : endings;
}

void want_work_state(const std::vector<ConversationMessage>& messages, Wants& wants) {
  WorkState(messages, wants).read();
}

}  // namespace ctxpack
