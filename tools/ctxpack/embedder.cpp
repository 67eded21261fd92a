#include "embedder.hpp"

#ifdef CTXPACK_WITH_CURL
#include "ctxmgr/adapters/curl_llm_client.hpp"
#endif

namespace ctxpack {

void add_embedder(const Command& command, EmbedderOptions& options) {
  command.add("--embedder", options.url,
              "Base URL of an embeddings service, whose ranking is combined with the ranking by words");
  command.add("--embedding-model", options.model, "Model of the embeddings service");
}

ctxmgr::Result<std::shared_ptr<ctxmgr::Embedder>> make_embedder(const EmbedderOptions& options) {
  if (options.url.empty()) return nullptr;
#ifdef CTXPACK_WITH_CURL
  ctxmgr::CurlLlmClientOptions service;
  service.base_url = options.url;
  service.model = options.model;
  auto embedder = ctxmgr::make_curl_embedder(service);
  if (!embedder) return tl::unexpected(embedder.error());
  return std::shared_ptr<ctxmgr::Embedder>(std::move(*embedder));
#else
  return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument,
                      "--embedder: this ctxpack was built without the HTTP client (CTXMGR_WITH_CURL)");
#endif
}

}  // namespace ctxpack
