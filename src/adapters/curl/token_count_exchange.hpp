#pragma once
#include <cstdint>
#include <utility>

#include "adapters/curl/completion_exchange.hpp"
#include "adapters/curl/origin.hpp"

namespace ctxmgr::http {

/// One request to an endpoint that counts the tokens of an input.
class TokenCountExchange final : public Exchange {
 public:
  TokenCountExchange(const CompletionContext& context, const LlmRequest& request)
      : context_(context),
        own_request_(wire::fitted_request(request, context.service.host(), context.shape)),
        request_(own_request_ ? *own_request_ : request) {}

  [[nodiscard]] Result<HttpRequest> next_request() override;
  [[nodiscard]] Step on_reply(HttpReply reply) override;
  [[nodiscard]] Step on_bytes(std::string_view bytes) override;
  void on_failure(Error error) override;

  [[nodiscard]] Result<std::int64_t> take_result() { return std::move(result_); }

 private:
  const CompletionContext& context_;
  const std::optional<LlmRequest> own_request_;
  const LlmRequest& request_;
  Result<std::int64_t> result_ = fail(ErrorCode::internal, "the call was not carried out");
};

}  // namespace ctxmgr::http
