#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"

/// \file
/// For hosts that stand between an agent and a service: requests go on as they are, and the bytes of the answers come
/// back untouched, as they come.
namespace ctxmgr {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// An answer under way. Destroying it before its end ends the transfer. Used by one thread at a time.
class CTXMGR_API HttpAnswer {
 public:
  HttpAnswer() = default;
  HttpAnswer(const HttpAnswer&) = delete;
  HttpAnswer& operator=(const HttpAnswer&) = delete;
  virtual ~HttpAnswer();

  [[nodiscard]] virtual int status() const = 0;

  /// As the service sent them, in their order.
  [[nodiscard]] virtual const HttpHeaders& headers() const = 0;

  /// Waits for the next bytes of the body; nullopt after its end. `unavailable` where the connection broke or the service
  /// was silent for longer than the options allow, `cancelled` and `deadline_exceeded` as `call` says.
  [[nodiscard]] virtual Result<std::optional<std::string>> next(const CallOptions& call) = 0;
};

/// Sends one request and waits for the head of its answer, whatever its status. The path begins with a slash ("/v1/models")
/// and holds no dot segments (`invalid_argument`). Where nobody reads the answer, no more than 256 KiB of it wait here: the
/// service has to wait, too. Headers go to the origin of `base_url` and nowhere else, and are wiped afterwards:
/// each request brings its own key. `invalid_argument` for headers that no request may have; other errors as above.
/// Nothing is retried. Copies share connections; they may be called from several threads at once.
using HttpRelay = std::function<Result<std::unique_ptr<HttpAnswer>>(const std::string& method, const std::string& path,
                                                                    std::string body, const HttpHeaders& headers,
                                                                    const CallOptions& call)>;

/// Whether an answer says that the request is longer than the model's window: by its status and its body, in the words of the
/// services that are known. Then `after_refusal()` of the budget gives one more try.
[[nodiscard]] CTXMGR_API bool is_context_length_refusal(int status, std::string_view body);

/// Of the options, those of the connection count: `base_url`, time limits, bounds, `proxy`, `ca_file`, `allow_plain_http`,
/// `public_addresses_only`; key, model and wire format do not. Errors as of `make_curl_llm_client`, but that no key
/// is asked for.
[[nodiscard]] CTXMGR_API Result<HttpRelay> make_http_relay(const CurlLlmClientOptions& options);

}  // namespace ctxmgr
