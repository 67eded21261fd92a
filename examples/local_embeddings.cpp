// What an embedding model adds: a question that shares no word with its answer, by words alone and with a local model.
// examples/local_embeddings/run.sh starts a server and runs this.
//
//     local_embeddings [BASE_URL MODEL]
#include <ctxmgr/adapters/curl_llm_client.hpp>
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>
#include <utility>

namespace {

ctxmgr::Context house_rules() {
  ctxmgr::Context context;
  context.conversation_history = {{ctxmgr::Role::user, "May I bring my dog?"}};
  const std::pair<const char*, const char*> rules[] = {
      {"leaving.md",
       "Guests leave the rooms by eleven in the morning. Keys are put into the box beside the door, and luggage may "
       "wait "
       "in the hall until the evening."},
      {"breakfast.md",
       "Breakfast is served from seven to ten on the terrace. On Sundays there is cake, and who rises early finds "
       "coffee "
       "in the kitchen from five on."},
      {"pool.md",
       "The pool closes at nine in the evening. Towels hang beside the sauna, and the water is changed each Monday by "
       "the "
       "gardener."},
      {"animals.md",
       "Pets are welcome on the ground floor for a small fee. A bowl and a blanket are lent at the desk, as long as "
       "there "
       "are some."},
      {"parking.md",
       "Parking is free for cars, not for buses. The gate opens with the number of the room, and the lamps go out at "
       "midnight."},
      {"smoking.md",
       "Smoking is allowed in the garden alone. Ash trays stand under the chestnut, and the bench there was carved by "
       "the "
       "owner's grandfather."}};
  for (const auto& [name, text] : rules) context.artifacts.push_back(ctxmgr::make_document(name, text));
  return context;
}

int show(const char* title, ctxmgr::ContextManagerOptions options) {
  ctxmgr::BuildRequest request;
  request.budget.max_input_tokens = 130;
  const auto built = ctxmgr::ContextManager(std::move(options)).build(house_rules(), request);
  if (!built) {
    std::cerr << built.error().message << '\n';
    return 1;
  }
  std::cout << "--- " << title << '\n' << ctxmgr::text_of(built->messages.front()) << '\n';
  for (const auto& note : built->metadata.notes) std::cout << "note: " << note << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (const int failed = show("by words alone", {}); failed != 0) return failed;
  if (argc < 3) {
    std::cout << "skipped: with a model; name a server and its model, or run examples/local_embeddings/run.sh\n";
    return 0;
  }
  ctxmgr::CurlLlmClientOptions server;
  server.base_url = argv[1];
  server.model = argv[2];
  auto embedder = ctxmgr::make_curl_embedder(server);
  if (!embedder) {
    std::cerr << embedder.error().message << '\n';
    return 2;
  }
  ctxmgr::ContextManagerOptions options;
  options.embedder = std::move(*embedder);
  return show("with a model", std::move(options));
}
