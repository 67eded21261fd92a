#include <iostream>
#include <memory>
#include <string>

#include "command.hpp"
#if defined(CTXPACK_WITH_BPE)
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif

namespace ctxpack {
namespace {

int run(const std::string& file, const std::string& name, const std::string& vocabulary) {
#if defined(CTXPACK_WITH_BPE)
  const auto text = read_input(file);
  if (!text) return report(text.error());
  const auto encoding =
      vocabulary.empty() ? ctxmgr::BpeEncoding::load(name) : ctxmgr::BpeEncoding::load_file(vocabulary, name);
  if (!encoding) return report(encoding.error());
  std::string line;
  for (const auto token : encoding->encode(*text)) {
    if (!line.empty()) line += ' ';
    line += std::to_string(token);
  }
  line += '\n';
  std::cout << line;
  return success;
#else
  static_cast<void>(file + name + vocabulary);
  return report({ctxmgr::ErrorCode::invalid_argument, "built without exact token counting", {}});
#endif
}

}  // namespace

void add_tokens(const Command& program) {
  const Command command = program.add_command("tokens", "Prints the token ids of a file on one line");
  const auto file = std::make_shared<std::string>();
  const auto name = std::make_shared<std::string>("o200k_base");
  const auto vocabulary = std::make_shared<std::string>();
  command.add("file", *file, "File, or - for standard input").required();
  command.add("--encoding", *name, "o200k_base (default) or cl100k_base");
  command.add("--vocabulary", *vocabulary, "Read the encoding from this .tiktoken or tokenizer.json file");
  command.run([file, name, vocabulary] { return run(*file, *name, *vocabulary); });
}

}  // namespace ctxpack
