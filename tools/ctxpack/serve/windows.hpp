#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// Windows of models, from the services that tell them: vLLM, llama.cpp, Ollama, OpenRouter and others that list one beside a
/// model's name. A service is asked once for each owner and model: what one owner's request or key brought about says
/// nothing to another. Ollama is asked again until it has loaded the model, since only then its window is known.
/// Thread-safety: all methods may be called from several threads at once.
class Windows {
 public:
  explicit Windows(ctxmgr::HttpRelay relay) : relay_(std::move(relay)) {}

  /// Asks, unless it has asked before; with the headers of a request, since a service may want its key. Nothing where the
  /// service does not say.
  [[nodiscard]] std::optional<std::int64_t> ask(const std::string& owner, const std::string& model,
                                                const ctxmgr::HttpHeaders& headers, const ctxmgr::CallOptions& call);

  /// What it has been told; asks nobody.
  [[nodiscard]] std::optional<std::int64_t> known(const std::string& owner, const std::string& model) const;

  /// What the service itself said in a refusal.
  void tell(const std::string& owner, const std::string& model, std::int64_t window);

  /// What is known does not hold: it is asked for again, a few times at most.
  void doubt(const std::string& owner, const std::string& model);
  [[nodiscard]] bool is_in_doubt(const std::string& owner, const std::string& model) const;

 private:
  struct Known {
    std::optional<std::int64_t> window{};
    bool is_certain = false;  ///< Not: it is asked for again.
    int doubts = 0;
  };
  using Key = std::pair<std::string, std::string>;  ///< Owner and model.

  [[nodiscard]] Known& entry(const Key& key);

  const ctxmgr::HttpRelay relay_;
  mutable std::mutex mutex_;
  std::map<Key, Known> windows_;
};

/// The window that a refusal names: `n_ctx`, "maximum context length is N", "N tokens > N maximum".
[[nodiscard]] std::optional<std::int64_t> window_in_refusal(const std::string& body);

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

/// In an answer of Ollama's `/api/ps`, which lists the models that are loaded, each with the window that it was loaded with.
[[nodiscard]] std::optional<std::int64_t> window_in_loaded(const std::string& answer, const std::string& model);

/// In an answer of Ollama's `/api/show`: what it was started with, else what the model has.
[[nodiscard]] std::optional<std::int64_t> window_in_show(const std::string& answer);

}  // namespace ctxpack::serve
