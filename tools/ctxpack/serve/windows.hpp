#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// Windows of models, from the services that tell them: vLLM, llama.cpp, Ollama, OpenRouter and others that list one beside a
/// model's name. A service is asked once for each model.
/// Thread-safety: all methods may be called from several threads at once.
class Windows {
 public:
  explicit Windows(ctxmgr::HttpRelay relay) : relay_(std::move(relay)) {}

  /// Asks, unless it has asked before; with the headers of a request, since a service may want its key. Nothing where the
  /// service does not say.
  [[nodiscard]] std::optional<std::int64_t> ask(const std::string& model, const ctxmgr::HttpHeaders& headers,
                                                const ctxmgr::CallOptions& call);

  /// What it has been told; asks nobody.
  [[nodiscard]] std::optional<std::int64_t> known(const std::string& model) const;

 private:
  const ctxmgr::HttpRelay relay_;
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<std::int64_t>> windows_;
};

/// What a list of models says of one.
struct Listed {
  std::optional<std::int64_t> window{};
  std::string owner{};  ///< By which llama.cpp and Ollama can be told: they say it elsewhere.
};

/// In an answer of `/v1/models`: `max_model_len` (vLLM), `context_length`, `context_window`, `max_context_length`,
/// `meta.n_ctx` (llama.cpp).
[[nodiscard]] Listed window_in_models(const std::string& answer, const std::string& model);

/// In an answer of llama.cpp's `/props`.
[[nodiscard]] std::optional<std::int64_t> window_in_props(const std::string& answer);

/// In an answer of Ollama's `/api/show`: what it was started with, else what the model has.
[[nodiscard]] std::optional<std::int64_t> window_in_show(const std::string& answer);

}  // namespace ctxpack::serve
