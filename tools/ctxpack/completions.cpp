#include <memory>
#include <string>

#include "command.hpp"

namespace ctxpack {
namespace {

using Outline = Command::Outline;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::string names_of(const Outline& program) {
  std::vector<std::string> names;
  for (const auto& command : program.commands) names.push_back(command.name);
  return joined(names);
}

bool is_by_place(const Command::Option& option) { return option.name.front() != '-'; }

/// What may stand behind a command: its options, the values of its arguments, and the same of what is below it.
std::string choices_of(const Outline& command) {
  std::vector<std::string> words;
  for (const auto& option : command.options) words.push_back(is_by_place(option) ? joined(option.values) : option.name);
  for (const auto& below : command.commands) {
    words.push_back(below.name);
    words.push_back(choices_of(below));
  }
  return joined(words);
}

/// Calls `use(command, option)` for each option of the command and of those below that has one of some values.
template <typename Use>
void for_each_choice(const Outline& command, Use use) {
  for (const auto& option : command.options)
    if (!is_by_place(option) && !option.values.empty()) use(option);
  for (const auto& below : command.commands) for_each_choice(below, use);
}

std::string for_bash(const Outline& program) {
  std::string text =
      "_ctxpack() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words= before=\n"
      "  [ \"$COMP_CWORD\" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const auto& command : program.commands) {
    text += "    " + command.name + ")\n      words='" + choices_of(command) + "'\n      case $before in\n";
    for_each_choice(command, [&](const auto& option) {
      text += "        " + option.name + ") words='" + joined(option.values) + "' ;;\n";
    });
    text += "        *) ;;\n      esac ;;\n";
  }
  text += "  esac\n  [ \"$COMP_CWORD\" -gt 1 ] || words='" + names_of(program) + " " +
          choices_of({{}, {}, {}, program.options, {}}) + "'\n";
  return text +
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _ctxpack ctxpack\n";
}

/// A word in single quotes, for fish and zsh.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == ':' || c == '[' || c == ']' ? ' ' : c;
  return out + "'";
}

void add_for_fish(const Outline& command, const std::string& name, std::string& text) {
  const auto start = "complete -c ctxpack -n '__fish_seen_subcommand_from " + name + "'";
  for (const auto& option : command.options) {
    const auto values = option.values.empty() ? "" : " -a '" + joined(option.values) + "'";
    if (is_by_place(option)) {
      if (!values.empty()) text += start + values + "\n";
      continue;
    }
    text += start + " -l " + option.name.substr(2) + " -d " + quoted(option.description);
    text += (option.is_flag ? "" : option.values.empty() ? " -r" : " -x" + values) + "\n";
  }
  for (const auto& below : command.commands) {
    text += start + " -a " + below.name + " -d " + quoted(below.description) + "\n";
    add_for_fish(below, below.name, text);
  }
}

std::string for_fish(const Outline& program) {
  std::string text;
  for (const auto& command : program.commands) {
    text +=
        "complete -c ctxpack -n __fish_use_subcommand -a " + command.name + " -d " + quoted(command.description) + "\n";
    add_for_fish(command, command.name, text);
  }
  return text;
}

std::string for_zsh(const Outline& program) {
  std::string text = "#compdef ctxpack\n_ctxpack() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(\n";
  for (const auto& command : program.commands) {
    auto entry = quoted(command.description);
    entry.insert(1, command.name + ":");
    text += "      " + entry + "\n";
  }
  text += "    )\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const auto& command : program.commands) {
    text += "    " + command.name + ")\n      case $words[CURRENT-1] in\n";
    for_each_choice(command, [&](const auto& option) {
      text += "        " + option.name + ") compadd -- " + joined(option.values) + "; return ;;\n";
    });
    text += "      esac\n      compadd -- " + choices_of(command) + " ;;\n";
  }
  return text +
         "  esac\n  _files\n}\n"
         "if [ \"$funcstack[1]\" = _ctxpack ]; then _ctxpack \"$@\"; else compdef _ctxpack ctxpack; fi\n";
}

}  // namespace

void add_completions(const Command& program) {
  const auto shell = std::make_shared<std::string>();
  const Command command = program.add_command("completions", "Prints completions for a shell");
  command.add("shell", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.show_after_help(
      "Examples:\n"
      "  source <(ctxpack completions bash)\n"
      "  ctxpack completions fish > ~/.config/fish/completions/ctxpack.fish");
  command.run([program, shell] {
    const auto outline = program.outline();
    const auto text = *shell == "bash" ? for_bash(outline) : *shell == "zsh" ? for_zsh(outline) : for_fish(outline);
    const auto written = write_output({}, text);
    return written ? success : report(written.error());
  });
}

}  // namespace ctxpack
