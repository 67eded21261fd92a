#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/curl/exchange.hpp"
#include "adapters/curl/service.hpp"
#include "adapters/curl/sse_parser.hpp"
#include "adapters/curl/wire.hpp"

namespace ctxmgr::http {

/// What a client has learnt about the models that it talked to. Bounded: past 256 models nothing more is learnt.
/// Thread-safety: all methods may be called from several threads at once.
class QuirkMemory {
 public:
  [[nodiscard]] wire::Quirks find(const wire::Wire& wire, const std::string& model, std::string_view host) const;
  void remember(const std::string& model, const wire::Quirks& quirks);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, wire::Quirks> quirks_;
};

/// What the exchanges of one client share; it outlives them.
struct CompletionContext {
  const Service& service;
  const wire::Wire& wire;
  QuirkMemory& quirks;
  std::string default_model{};
  std::string extra_body_json{};
  MessageShape shape{};
};

using TextSink = std::function<void(std::string_view)>;

/// One completion, whole or streamed.
class CompletionExchange final : public Exchange {
 public:
  /// `on_text` null: not streamed.
  CompletionExchange(const CompletionContext& context, const LlmRequest& request, const TextSink* on_text);

  [[nodiscard]] Result<HttpRequest> next_request() override;
  [[nodiscard]] Step on_reply(HttpReply reply) override;
  [[nodiscard]] Step on_bytes(std::string_view bytes) override;
  [[nodiscard]] bool has_delivered() const override { return has_delivered_; }
  [[nodiscard]] bool accept_unfinished() override;
  [[nodiscard]] std::chrono::milliseconds patience(const ExchangeLimits& limits, bool has_begun) const override;
  void on_failure(Error error) override;

  [[nodiscard]] Result<LlmResponse> take_result() { return std::move(result_); }

 private:
  [[nodiscard]] Step read_whole(HttpReply& reply);
  [[nodiscard]] Step failed(Failure failure) const;
  [[nodiscard]] Step accept(const Json& reply);
  [[nodiscard]] Step on_error_reply(const HttpReply& reply);
  [[nodiscard]] Step end_stream();
  [[nodiscard]] Step deliver(std::string_view text);

  const CompletionContext& context_;
  const std::optional<LlmRequest> own_request_;  ///< Where fields of another service had to be left out.
  const LlmRequest& request_;
  const TextSink* const on_text_;
  const std::string model_;
  wire::Quirks quirks_;
  bool has_adapted_ = false;

  SseParser parser_;
  std::unique_ptr<wire::StreamReader> reader_;  ///< Reads the present attempt; null unless bytes have come.
  bool has_delivered_ = false;
  bool sink_threw_ = false;  ///< Nothing is wanted any more.

  Result<LlmResponse> result_;
};

}  // namespace ctxmgr::http
