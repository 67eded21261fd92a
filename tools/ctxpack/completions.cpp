#include <memory>
#include <string>

#include "command.hpp"

namespace ctxpack {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::string names_of(const Command::Outline& program) {
  std::vector<std::string> names;
  for (const auto& command : program.commands) names.push_back(command.name);
  return joined(names);
}

/// All options of a command and of what is below it.
std::string options_of(const Command::Outline& command) {
  auto text = joined(command.options);
  for (const auto& below : command.commands) text.append(" ").append(below.name).append(" ").append(options_of(below));
  return text;
}

std::string for_bash(const Command::Outline& program) {
  std::string text =
      "_ctxpack() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const auto& command : program.commands)
    text.append("    ").append(command.name).append(") words='").append(options_of(command)).append("' ;;\n");
  text.append("  esac\n  [ \"$COMP_CWORD\" -gt 1 ] || words='").append(names_of(program)).append(" ");
  text.append(joined(program.options)).append("'\n");
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

std::string for_fish(const Command::Outline& program) {
  std::string text;
  for (const auto& command : program.commands) {
    text.append("complete -c ctxpack -n __fish_use_subcommand -a ").append(command.name).append(" -d ");
    text.append(quoted(command.description)).append("\n");
    for (const auto& option : command.options) {
      text.append("complete -c ctxpack -n '__fish_seen_subcommand_from ").append(command.name).append("' -l ");
      text.append(option.substr(2)).append("\n");
    }
    for (const auto& below : command.commands) {
      text.append("complete -c ctxpack -n '__fish_seen_subcommand_from ").append(command.name).append("' -a ");
      text.append(below.name).append("\n");
    }
  }
  return text;
}

std::string for_zsh(const Command::Outline& program) {
  std::string text = "#compdef ctxpack\n_ctxpack() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(\n";
  for (const auto& command : program.commands) {
    auto entry = quoted(command.description);
    entry.insert(1, command.name + ":");
    text.append("      ").append(entry).append("\n");
  }
  text += "    )\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const auto& command : program.commands)
    text.append("    ").append(command.name).append(") compadd -- ").append(options_of(command)).append(" ;;\n");
  return text + "  esac\n  _files\n}\ncompdef _ctxpack ctxpack\n";
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
