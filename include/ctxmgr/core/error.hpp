#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "ctxmgr/core/export.hpp"

namespace ctxmgr {

/// Why something failed, told apart by what the caller does next; `docs/errors.md` has the long form.
/// Logs and stores hold these by name: an enumerator is never renamed.
enum class ErrorCode {
  cancelled,                ///< The caller's own token fired. Nothing to do.
  deadline_exceeded,        ///< Time ran out. Call again with more of it.
  invalid_argument,         ///< Mend the input: the message names the field, or line and column.
  not_found,                ///< It is not there. Create it, or go on without it.
  conflict,                 ///< Somebody else wrote first. Read again, then retry.
  denied,                   ///< Credentials, quota or an access rule forbid it. Retrying does not help.
  unavailable,              ///< Transport, overload or a lock. Retry, and not before `retry_after`.
  bad_data,                 ///< A model's reply, a stored row or a file broke its contract. Use a fallback.
  budget_exceeded,          ///< The parts that must be sent do not fit; the message has the figures.
  context_length_exceeded,  ///< The service found the prompt too long. Build again with a smaller budget.
  limit_exceeded,           ///< A bound on size, count or disk space. Store less, or raise the bound.
  internal,                 ///< A port threw, or there is a bug here. Report it.
};

/// A failure as a value. `message` is one line for people and logs; it holds neither secrets nor artifact content.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message{};
  std::optional<std::chrono::milliseconds> retry_after{};  ///< The service wants this pause; only with `unavailable`.
};

/// The return type of every function that can fail. Not std::expected even where there is one: which language standard a
/// host compiles with must not change the ABI.
template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(ErrorCode::not_found, "no model of that name");`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message), {}});
}

/// The enumerator's name, as in logs and JSON.
[[nodiscard]] CTXMGR_API std::string_view to_string(ErrorCode code);

}  // namespace ctxmgr
