#include "serve/api.hpp"

#include <nlohmann/json.hpp>

namespace ctxpack::serve {
namespace {

using ctxmgr::ErrorCode;

/// By HTTP status, as both services name them.
const char* type_of(Api api, int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return api == Api::anthropic ? "request_too_large" : "invalid_request_error";
    case 500:
    case 502:
    case 503:
    case 504: return "api_error";
    default: return "invalid_request_error";
  }
}

}  // namespace

Api api_of(std::string_view path, bool has_anthropic_version) {
  constexpr std::string_view messages = "/v1/messages";
  if (has_anthropic_version || path.substr(0, messages.size()) == messages) return Api::anthropic;
  return path == "/v1/responses" ? Api::responses : Api::openai;
}

int status_of(const ctxmgr::Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::budget_exceeded:
    case ErrorCode::context_length_exceeded: return 400;
    case ErrorCode::denied: return 403;
    case ErrorCode::not_found: return 404;
    case ErrorCode::conflict: return 409;
    case ErrorCode::limit_exceeded: return 413;
    case ErrorCode::cancelled: return 499;  // Nobody is there to read it.
    case ErrorCode::bad_data:  // Of a service or a store: what is wrong with a request is an invalid argument.
    case ErrorCode::unavailable: return 502;
    case ErrorCode::deadline_exceeded: return 504;
    case ErrorCode::internal: return 500;
  }
  return 500;
}

std::string error_body(Api api, const ctxmgr::Error& error) {
  const int status = status_of(error);
  nlohmann::ordered_json details = {{"type", type_of(api, status)}, {"message", "ctxpack: " + error.message}};
  if (api != Api::anthropic) {
    const bool too_long = error.code == ErrorCode::budget_exceeded || error.code == ErrorCode::context_length_exceeded;
    details["param"] = nullptr;
    details["code"] = too_long ? nlohmann::ordered_json("context_length_exceeded")
                               : nlohmann::ordered_json(ctxmgr::to_string(error.code));
  }
  nlohmann::ordered_json body;
  if (api == Api::anthropic) body["type"] = "error";
  body["error"] = std::move(details);
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ctxpack::serve
