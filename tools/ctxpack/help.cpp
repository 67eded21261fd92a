#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "command.hpp"

namespace ctxpack {
namespace {

/// The code point of a letter of several bytes, as roff names it: "\\[u2026]".
std::string roff_letter(std::string_view bytes) {
  auto code = static_cast<unsigned>(static_cast<unsigned char>(bytes[0])) & (0xFFU >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\[u%04X]", code);
  return text.data();
}

/// Text that man prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (out.empty() || out.back() == '\n') out += c == '.' || c == '\'' ? "\\&" : "";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c & '\x80') != 0) {
      auto end = i + 1;
      while (end < text.size() && (text[end] & '\xC0') == '\x80') ++end;
      out += roff_letter(text.substr(i, end - i));
      i = end - 1;
    } else {
      out += c;
    }
  }
  return out;
}

void add_options(const Command::Outline& command, std::string& page) {
  for (const auto& option : command.options) {
    page += ".TP\n.B " + roff(option.name) + "\n" + roff(option.description);
    if (!option.values.empty()) {
      page += option.description.empty() ? "One of" : " \\(em one of";
      for (const auto& value : option.values) page += " " + roff(value);
    }
    page += "\n";
  }
}

void add_command(const Command::Outline& command, const std::string& name, std::string& page) {
  page += ".SS " + roff(name) + "\n" + roff(command.description) + "\n";
  add_options(command, page);
  if (!command.after_help.empty()) page += ".PP\n.nf\n" + roff(command.after_help) + "\n.fi\n";
  for (const auto& below : command.commands) add_command(below, name + " " + below.name, page);
}

std::string man_page(const Command::Outline& program) {
  std::string page = ".TH CTXPACK 1 \"\" \"ctxmgr " CTXPACK_VERSION "\"\n.SH NAME\nctxpack \\- " +
                     roff(program.description) + "\n.SH SYNOPSIS\n.B ctxpack\nCOMMAND [ARGUMENTS]\n.SH OPTIONS\n";
  add_options(program, page);
  page += ".SH COMMANDS\n";
  for (const auto& command : program.commands) add_command(command, command.name, page);
  return page +
         ".SH EXIT STATUS\n0: done. 1: what was asked for is not there. 2: wrong usage or input. 3: what must be sent "
         "is "
         "over the budget. 4: a service failed. 5: an error of ctxpack itself.\n";
}

}  // namespace

void add_help(const Command& program) {
  struct HelpOptions {
    std::vector<std::string> words;
    bool man = false;
  };
  const auto options = std::make_shared<HelpOptions>();
  const Command command = program.add_command("help", "Prints the help of a command");
  command.add("command", options->words,
              "The command, such as build or \"context set\"; the program's help without it");
  command.add_flag("--man", options->man, "Print a manual page of all commands, for man");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack help build\n"
      "  ctxpack help context set\n"
      "  ctxpack help --man | man -l -");
  command.run([program, options] {
    const auto text =
        options->man ? ctxmgr::Result<std::string>(man_page(program.outline())) : program.help_of(options->words);
    return text ? finish(write_output({}, *text)) : report(text.error());
  });
}

}  // namespace ctxpack
