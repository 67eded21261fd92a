// Fits a document and a question into 2 000 tokens, counted exactly. Needs no key and no server.
//
//     quickstart [DOCUMENT]
#include <ctxmgr/adapters/bpe_encoding.hpp>
#include <ctxmgr/ctxmgr.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "examples/data/wal.md");
  std::ostringstream document;
  if (!(document << file.rdbuf())) {
    std::cerr << "the document cannot be read\n";
    return 2;
  }

  ctxmgr::Context context;
  context.conversation_history = {{ctxmgr::Role::system, "Answer from the document."},
                                  {ctxmgr::Role::user, "Does WAL work over a network filesystem?"}};
  context.artifacts = {ctxmgr::make_document("wal.md", document.str())};

  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_request("gpt-5.6");
  request.budget.max_input_tokens = 2'000;

  ctxmgr::ContextManagerOptions options;
  if (auto counter = ctxmgr::make_bpe_token_counter()) options.token_counters.push_back(std::move(*counter));
  const ctxmgr::ContextManager manager(options);
  const auto built = manager.build(context, request);
  if (!built) {
    std::cerr << built.error().message << '\n';
    return 1;
  }
  std::cout << ctxmgr::to_openai_json(built->messages) << '\n' << ctxmgr::explain(built->metadata);
}
