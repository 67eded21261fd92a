#include "adapters/curl/failure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "adapters/curl/retry_after.hpp"
#include "adapters/curl/retry_policy.hpp"
#include "core/ascii.hpp"
#include "core/json/json.hpp"

namespace ctxmgr::http {
namespace {

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string_view::npos; });
}

/// Short names, as error codes and parameters are, pass into messages; whatever else stands there does not.
bool is_identifier(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]-";
  return text.size() <= 64 && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string identifier(const Json& object, std::string_view key) {
  if (const auto number = get_int(object, key)) return std::to_string(*number);
  const std::string* const text = get_string(object, key);
  return text != nullptr && is_identifier(*text) ? *text : std::string();
}

bool is_context_length(const HttpReply& reply, const ServiceError& service) {
  // OpenAI and vLLM; Groq; Anthropic (two); llama.cpp; Gemini; Ollama and others.
  constexpr std::array<std::string_view, 9> phrases = {
      "maximum context length", "reduce the length",      "prompt is too long",
      "exceed context limit",   "available context size", "exceeds the maximum number of tokens",
      "exceeds the context",    "context window",         "input is too long"};
  constexpr std::array<std::string_view, 4> codes = {"context_length_exceeded", "exceed_context_size_error",
                                                     "string_above_max_length", "model_max_prompt_tokens_exceeded"};
  if (reply.status == 413) return true;
  if (reply.status != 400 && reply.status != 422) return false;
  return contains_any(service.code, codes) || contains_any(service.type, codes) ||
         contains_any(service.message, phrases);
}

/// Gemini says "exceeded your current quota" of the limits of a minute too, and then when to come again.
bool is_out_of_quota(const ServiceError& service) {
  constexpr std::array<std::string_view, 5> codes = {"insufficient_quota", "billing", "credit", "quota_exceeded",
                                                     "account_deactivated"};
  constexpr std::array<std::string_view, 2> phrases = {"exceeded your current quota", "credit balance"};
  return service.per_day || contains_any(service.code, codes) || contains_any(service.type, codes) ||
         (!service.retry_after && contains_any(service.message, phrases));
}

ErrorCode code_of(const HttpReply& reply, const ServiceError& service) {
  if (is_context_length(reply, service)) return ErrorCode::context_length_exceeded;
  switch (reply.status) {
    case 401:
    case 402:
    case 403:
    case 407: return ErrorCode::denied;
    case 404: return ErrorCode::not_found;
    case 408:
    case 409: return ErrorCode::unavailable;
    case 429: return is_out_of_quota(service) ? ErrorCode::denied : ErrorCode::unavailable;
    default: break;
  }
  if (reply.status >= 500 && reply.status <= 599) return ErrorCode::unavailable;
  if (reply.status >= 300 && reply.status <= 499) return ErrorCode::invalid_argument;
  return ErrorCode::bad_data;
}

std::string describe(const HttpReply& reply, const ServiceError& service) {
  std::string details;
  const auto add = [&details](std::string_view label, std::string_view value) {
    if (value.empty()) return;
    details += details.empty() ? " (" : ", ";
    details += label;
    details += value;
  };
  add("", service.type);
  if (service.code != service.type) add("", service.code);
  add("parameter ", service.param);
  add("request ", is_identifier(reply.request_id) ? reply.request_id : std::string());
  if (!details.empty()) details += ')';
  auto text = "the service answered with status " + std::to_string(reply.status) + details;
  if (reply.status >= 300 && reply.status <= 399) text += "; redirects are not followed, base_url must be final";
  if (reply.status == 404) text += "; the model's name may be wrong, or base_url may lack its version, as in /v1";
  return text;
}

std::optional<int> as_status(const std::string& text) {
  int status = 0;
  const auto* const end = text.data() + text.size();
  const bool is_number = std::from_chars(text.data(), end, status).ptr == end;
  return is_number && status >= 400 && status <= 599 ? std::optional(status) : std::nullopt;
}

/// The status that the service would have sent, had it known in time: by its code, its type, or its words.
int status_of(const ServiceError& service) {
  if (const auto status = as_status(service.code)) return *status;
  if (const auto status = as_status(service.type)) return *status;
  constexpr std::array<std::pair<std::string_view, int>, 17> signs = {{{"rate_limit", 429},
                                                                       {"quota", 429},
                                                                       {"authentication", 401},
                                                                       {"permission", 403},
                                                                       {"not_found", 404},
                                                                       {"api_key", 401},
                                                                       {"invalid", 400},
                                                                       {"context", 400},
                                                                       {"overloaded", 529},
                                                                       {"rate limit", 429},
                                                                       {"too many requests", 429},
                                                                       {"api key", 401},
                                                                       {"unauthorized", 401},
                                                                       {"not found", 404},
                                                                       {"does not exist", 404},
                                                                       {"does not support", 400},
                                                                       {"too long", 400}}};
  for (const std::string* const text : {&service.code, &service.type, &service.message}) {
    for (const auto& [sign, status] : signs) {
      if (text->find(sign) != std::string::npos) return status;
    }
  }
  return 500;
}

const Json* first_of(const Json* list) {
  return list != nullptr && list->is_array() && !list->empty() ? &list->front() : nullptr;
}

const Json* find_error(const Json& body) {
  if (const Json* const first = first_of(&body)) return find_error(*first);  // Gemini
  const Json* const error = find_field(body, "error");
  if (error != nullptr && (error->is_object() || (error->is_string() && *error != ""))) return error;
  if (const auto* const object = get_string(body, "object"); object != nullptr && *object == "error") return &body;
  const Json* const choice = first_of(find_field(body, "choices"));  // OpenRouter
  return choice == nullptr ? nullptr : find_field(*choice, "error");
}

/// google.rpc.RetryInfo and google.rpc.QuotaFailure.
void read_details(const Json& details, ServiceError& service) {
  for (const Json& detail : details) {
    if (const auto* const delay = get_string(detail, "retryDelay"); delay != nullptr && !delay->empty()) {
      service.retry_after = parse_retry_after("", std::string_view(*delay).substr(0, delay->size() - 1), {});  // "22s"
    }
    const Json* const violations = find_field(detail, "violations");
    if (violations == nullptr) continue;
    for (const Json& violation : *violations) {
      const auto* const quota = get_string(violation, "quotaId");
      service.per_day = service.per_day || (quota != nullptr && quota->find("PerDay") != std::string::npos);
    }
  }
}

}  // namespace

bool reports_error(const Json& body) { return find_error(body) != nullptr; }

ServiceError parse_service_error(std::string_view body) {
  ServiceError service;
  const auto json = parse_json(body);
  if (!json) return service;
  const Json* const found = find_error(*json);
  const Json* const error = found != nullptr ? found : &*json;
  if (error->is_string()) {  // Ollama
    service.sentence = error->string();
    service.message = ascii::lower_case(service.sentence);
    return service;
  }
  service.type = identifier(*error, "type");
  service.code = identifier(*error, "code");
  service.param = identifier(*error, "param");
  if (service.type.empty()) service.type = identifier(*error, "status");  // Gemini
  if (const std::string* const text = get_string(*error, "message")) service.sentence = *text;
  service.message = ascii::lower_case(service.sentence);
  if (const Json* const details = find_field(*error, "details")) read_details(*details, service);
  return service;
}

Failure classify_error(const HttpReply& reply, const ServiceError& service, Timestamp now) {
  Failure failure;
  failure.error = {code_of(reply, service), describe(reply, service), {}};
  failure.sentence = service.sentence;
  if (failure.error.code == ErrorCode::unavailable) {
    failure.retry = Retry::yes;
    failure.error.retry_after = parse_retry_after(reply.retry_after_ms, reply.retry_after, now);
    if (!failure.error.retry_after) failure.error.retry_after = service.retry_after;
  }
  failure.timed_out = reply.status == 408 || reply.status == 504;
  // The service's own word counts more, except where trying again costs the caller money or can never help.
  if (reply.should_retry == "false") failure.retry = Retry::never;
  if (reply.should_retry == "true" && failure.error.code == ErrorCode::bad_data) failure.retry = Retry::yes;
  if (reply.should_retry == "true" && failure.error.code == ErrorCode::invalid_argument && reply.status >= 400) {
    failure.retry = Retry::yes;
  }
  return failure;
}

Failure classify_late_error(std::string_view body, Timestamp now) {
  const auto service = parse_service_error(body);
  HttpReply reply;
  reply.status = status_of(service);
  return classify_error(reply, service, now);
}

Failure classify_failure(TransportFailure failure) {
  switch (failure) {
    case TransportFailure::resolve:
      return {{ErrorCode::unavailable, "the service's host name has no address", {}}, Retry::once, false};
    case TransportFailure::connect:
      return {{ErrorCode::unavailable, "no connection to the service", {}}, Retry::yes, false};
    case TransportFailure::connect_timeout:
      return {{ErrorCode::unavailable, "no connection to the service within connect_timeout", {}}, Retry::yes, true};
    case TransportFailure::silent:
      return {{ErrorCode::unavailable, "the service was silent for too long", {}}, Retry::yes, true};
    case TransportFailure::broken:
      return {{ErrorCode::unavailable, "the connection to the service broke", {}}, Retry::yes, false};
    case TransportFailure::proxy:
      return {{ErrorCode::denied, "the proxy does not let the client through to the service", {}}, Retry::never, false};
    case TransportFailure::tls:
      return {{ErrorCode::denied, "the service's TLS certificate or protocol is not trusted", {}}, Retry::never, false};
    case TransportFailure::too_large:
      return {{ErrorCode::limit_exceeded, "the reply is larger than max_response_bytes", {}}, Retry::never, false};
    case TransportFailure::vetoed:
      return {{ErrorCode::denied, "the service's address is not a public one", {}}, Retry::never, false};
    case TransportFailure::malformed:
      return {{ErrorCode::bad_data, "the service does not speak HTTP", {}}, Retry::never, false};
    case TransportFailure::none:
    case TransportFailure::other: break;
  }
  return {{ErrorCode::unavailable, "the HTTP transfer failed", {}}, Retry::never, false};
}

Failure bad_reply(std::string what) { return {{ErrorCode::bad_data, std::move(what), {}}, Retry::once, false}; }

std::optional<std::chrono::milliseconds> retry_delay(const Failure& failure, const RetryContext& context) {
  const int allowed = failure.retry == Retry::never ? 1 : failure.retry == Retry::once ? 2 : context.max_attempts;
  if (context.attempts_made >= std::min(allowed, context.max_attempts)) return std::nullopt;
  const auto wanted = failure.error.retry_after;
  const auto delay = wanted.value_or(backoff_delay(context.attempts_made - 1, context.jitter));
  if (delay > std::min(max_retry_after, context.remaining)) return std::nullopt;
  return delay;
}

}  // namespace ctxmgr::http
