#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/curl/transfer.hpp"
#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/reasoning.hpp"

/// \file
/// What went wrong, and whether to try again: functions of what came back, without network or clock.
namespace ctxmgr::http {

enum class Retry {
  never,
  once,  ///< A second attempt may help, a third will not: no address, a reply cut short.
  yes,
};

struct Failure {
  Error error{};
  Retry retry = Retry::never;
  bool timed_out = false;
  std::string sentence{};  ///< The service's own, which may quote the prompt.
};

/// What a service says about an error, in any of the forms that are around. `message` and `sentence` may quote the
/// prompt: the first is for recognising errors only, the second is passed on without what it quotes.
struct ServiceError {
  std::string type{};
  std::string code{};
  std::string param{};
  std::string message{};                                   ///< Lower case.
  std::string sentence{};                                  ///< The service's own words, as they were written.
  bool per_day = false;                                    ///< It is the quota of a day that is used up (Gemini).
  std::optional<std::chrono::milliseconds> retry_after{};  ///< Where the body says so (Gemini) and not a header.
};

/// Whether a reply with 200, or an event of a stream, is an error after all.
[[nodiscard]] bool reports_error(const Json& body);

/// From the body of a failed reply. Empty fields where it is not JSON or says nothing.
[[nodiscard]] ServiceError parse_service_error(std::string_view body);

/// The error that a service reports where its status was 200 already: inside a reply, or in the middle of a stream.
[[nodiscard]] Failure classify_late_error(std::string_view body, Timestamp now);

/// For a status other than 200.
[[nodiscard]] Failure classify_error(const HttpReply& reply, const ServiceError& service, Timestamp now);

/// For a transfer without a reply.
[[nodiscard]] Failure classify_failure(TransportFailure failure);

/// A reply with 200 that is not what was agreed: retried once, since proxies and full disks cut replies short.
[[nodiscard]] Failure bad_reply(std::string what);

struct RetryContext {
  int attempts_made = 1;
  int max_attempts = 3;
  std::chrono::milliseconds remaining{};  ///< Until the caller's deadline or the total time limit.
  double jitter = 1;                      ///< 0.25 to 1.
};

/// How long to wait before the next attempt; nothing where there is to be none.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay(const Failure& failure, const RetryContext& context);

}  // namespace ctxmgr::http
