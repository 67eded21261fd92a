#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/ports/embedder.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

enum class WireFormat {
  openai_chat,         ///< Chat Completions: OpenAI, Gemini, vLLM, llama.cpp server, Ollama, OpenRouter and many more.
  openai_responses,    ///< OpenAI's Responses.
  anthropic_messages,  ///< Anthropic's Messages, with cache breakpoints and thinking blocks.
};

[[nodiscard]] constexpr std::string_view to_string(WireFormat value) {
  return value == WireFormat::openai_responses     ? "openai_responses"
         : value == WireFormat::anthropic_messages ? "anthropic_messages"
                                                   : "openai_chat";
}

/// Everything is fixed when the client is made, so that a key cannot follow a changed URL to another host.
struct CurlLlmClientOptions {
  /// https, or http to this machine or as `allow_plain_http` says. With the version, as the services write it ("…/v1"); for Anthropic without
  /// ("https://api.anthropic.com"). Redirects are not followed.
  std::string base_url = "https://api.openai.com/v1";
  /// Sent to the origin of `base_url` and nowhere else; in no message, log or record. The client's copy is wiped from
  /// the heap with it; these options' own is the host's affair.
  std::string api_key{};
  std::string model{};  ///< The model of requests that name none.
  WireFormat wire_format = WireFormat::openai_chat;
  /// The service's demands on a list of messages, such as `message_shape("llama_cpp")`. Unset: what is known of the
  /// base URL's host. Anthropic's Messages are shaped by their own rules.
  std::optional<MessageShape> message_shape{};
  std::map<std::string, std::string> headers{};  ///< Sent along; they replace the client's own of the same name.
  std::string extra_body_json{};                 ///< JSON object merged into each body; a request's own wins.

  std::chrono::milliseconds connect_timeout{5'000};  ///< Most time for looking the name up, connecting and TLS.
  /// Until the first word of a stream: longer for models that think longer. A whole reply may take as much longer as
  /// writing `max_output_tokens` does at worst (28 ms for each); where those are unset, only `total_timeout` ends it.
  std::chrono::milliseconds first_byte_timeout{60'000};
  std::chrono::milliseconds idle_timeout{30'000};         ///< Most time between two pieces of a reply.
  std::chrono::milliseconds total_timeout{600'000};       ///< Most time for a call and its retries, out of the queue.
  std::size_t max_response_bytes = std::size_t{8} << 20;  ///< After decompression; of a stream, in all.
  std::size_t max_parallel = 64;  ///< Calls under way and connections; further calls wait their turn.
  int max_attempts = 3;           ///< 1 where the host retries.

  std::string proxy{};    ///< "http://user:password@host:port"; empty: none, whatever the environment says.
  std::string ca_file{};  ///< PEM file of the authorities to trust instead of the system's.

  /// Without TLS to any host, not to this machine alone: a server in a network of one's own. The key and all content
  /// travel in the clear.
  bool allow_plain_http = false;

  /// For a `base_url` that a tenant chose: after the name was resolved, no loopback, private, link-local or reserved
  /// address is connected to. No proxy.
  bool public_addresses_only = false;

  /// OpenAI's variables where one of the first two is set: OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_ORG_ID, OPENAI_PROJECT_ID,
  /// OPENAI_CUSTOM_HEADERS. Else Anthropic's, and its format: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN (sent as a bearer
  /// token), ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS. Custom headers are "Name: value", one on each line.
  [[nodiscard]] CTXMGR_API static CurlLlmClientOptions from_environment();
};

/// A client that can do more than the port asks for.
/// Thread-safety: all methods may be called from several threads at once.
class CTXMGR_API CurlLlmClient : public LlmClient {
 public:
  ~CurlLlmClient() override;

  /// As `complete`, and calls `on_text` from the calling thread with each piece of text while it is written. What
  /// `on_text` throws ends the call with `internal`. Once text was delivered nothing is retried. A stream that ends
  /// before the service has said that it is through is `unavailable`.
  [[nodiscard]] virtual Result<LlmResponse> stream(const LlmRequest& request,
                                                   const std::function<void(std::string_view)>& on_text,
                                                   const CallOptions& call) = 0;

  /// The service's own count of this input, in tokens. `not_found` with Chat Completions, which has no such
  /// endpoint.
  [[nodiscard]] virtual Result<std::int64_t> count_input_tokens(const LlmRequest& request, const CallOptions& call) = 0;
};

/// Reference client over libcurl. All calls share the connections of one multi handle, in a thread of the client's own.
///
/// Passing failures are retried up to `max_attempts` times within the deadline, as the service asks (`Retry-After`,
/// `x-should-retry`) or with jittered backoff, and not while most calls fail. `docs/llm-client.md` has the rules.
///
/// `invalid_argument` for a bad URL, header, time limit or bound, `denied` without a key or an own `authorization` header
/// for anything but a loopback address or plain http. The client must not be used in a process forked after it was made.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<CurlLlmClient>> make_curl_llm_client(
    const CurlLlmClientOptions& options);

/// The embeddings endpoint of an OpenAI-compatible service; `model` has to be set. At most 100 texts go
/// into one request. Some models tell a question from a passage (E5, BGE, Nomic and others, known by name). They get the prefix or
/// the `input_type` that they were trained with, unless `extra_body_json` has an `input_type`. Errors and the rest as above.
/// Thread-safety: all methods may be called from several threads at once.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<Embedder>> make_curl_embedder(const CurlLlmClientOptions& options);

}  // namespace ctxmgr
