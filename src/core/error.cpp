#include "ctxmgr/core/error.hpp"

namespace ctxmgr {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::deadline_exceeded: return "deadline_exceeded";
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::denied: return "denied";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::bad_data: return "bad_data";
    case ErrorCode::budget_exceeded: return "budget_exceeded";
    case ErrorCode::context_length_exceeded: return "context_length_exceeded";
    case ErrorCode::limit_exceeded: return "limit_exceeded";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

}  // namespace ctxmgr
