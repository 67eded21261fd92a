#pragma once
#include <memory>
#include <string>
#include <vector>

#include "adapters/curl/base_url.hpp"
#include "adapters/curl/exchange.hpp"
#include "adapters/curl/header_list.hpp"
#include "adapters/curl/http_engine.hpp"
#include "adapters/curl/retry_policy.hpp"
#include "adapters/curl/secrets.hpp"
#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::http {

/// Where the key comes from.
enum class Credentials { of_options, with_each_request };

/// One service as one client sees it: an origin, the key that belongs to it, connections and a retry budget.
/// Thread-safety: const methods may be called from several threads at once.
class Service {
 public:
  /// Checks the options, as `make_curl_llm_client` documents.
  [[nodiscard]] static Result<std::unique_ptr<Service>> open(const CurlLlmClientOptions& options,
                                                             Credentials credentials = Credentials::of_options);

  [[nodiscard]] HttpRequest request(std::string_view path, std::string body) const;

  /// Carries them out; see `carry_out`.
  void carry_out(const std::vector<Exchange*>& exchanges, const CallOptions& call) const;

  /// The same error, with nothing secret in it.
  [[nodiscard]] Error redacted(Error error) const;

  [[nodiscard]] const std::string& host() const { return base_.host; }
  [[nodiscard]] HttpEngine& engine() const { return *engine_; }
  [[nodiscard]] const ExchangeLimits& limits() const { return limits_; }

 private:
  Service(const CurlLlmClientOptions& options, BaseUrl base, std::shared_ptr<const HeaderList> headers,
          std::unique_ptr<HttpEngine> engine);

  const BaseUrl base_;
  const ExchangeLimits limits_;
  const std::shared_ptr<const HeaderList> headers_;
  const Secrets secrets_;
  const std::unique_ptr<HttpEngine> engine_;
  mutable RetryBudget budget_;
};

}  // namespace ctxmgr::http
