#include <memory>
#include <string>

#include "command.hpp"
#if defined(CTXPACK_WITH_BPE)
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif

namespace ctxpack {
namespace {

struct TokensOptions {
  std::string file;
  std::string name = "o200k_base";
  std::string vocabulary;
  bool json = false;
};

int run_tokens(const TokensOptions& options) {
#if defined(CTXPACK_WITH_BPE)
  const auto text = read_input(options.file);
  if (!text) return report(text.error());
  const auto encoding = options.vocabulary.empty() ? ctxmgr::BpeEncoding::load(options.name)
                                                   : ctxmgr::BpeEncoding::load_file(options.vocabulary, options.name);
  if (!encoding) return report(encoding.error());
  std::string line;
  for (const auto token : encoding->encode(*text)) {
    if (!line.empty()) line += options.json ? ',' : ' ';
    line += std::to_string(token);
  }
  return finish(write_output({}, (options.json ? "[" + line + "]" : line) + "\n"));
#else
  static_cast<void>(options);
  return report({ctxmgr::ErrorCode::invalid_argument,
                 "this ctxpack was built without exact token counters (CTXMGR_WITH_BPE)",
                 {}});
#endif
}

}  // namespace

void add_tokens(const Command& program) {
  const Command command = program.add_command("tokens", "Prints the token ids of a file on one line");
  const auto options = std::make_shared<TokensOptions>();
  command.add("file", options->file, "File, or - for standard input").required();
  command.add("--encoding", options->name, "o200k_base (default) or cl100k_base");
  command.add("--vocabulary", options->vocabulary, "Read the encoding from this .tiktoken or tokenizer.json file");
  command.add_flag("--json", options->json, "Print them as a JSON array");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack tokens report.md\n"
      "  ctxpack tokens report.md --vocabulary tokenizer.json --json");
  command.run([options] { return run_tokens(*options); });
}

}  // namespace ctxpack
