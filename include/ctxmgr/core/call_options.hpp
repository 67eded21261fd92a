#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ctxmgr {

/// Asks whether the caller still wants the result. It is polled, at least every 50 ms while a call waits, so that there
/// is nothing to register and nothing to outlive. A default token never fires.
///
///     std::stop_source stop;       CallOptions{stop.get_token()}
///     std::atomic<bool> quit;      CallOptions{CancellationToken([&] { return quit.load(); })}
///
/// Copies share the predicate. It is called from any thread, must not throw, and must stay valid during the call.
class CancellationToken {
 public:
  CancellationToken() noexcept = default;

  explicit CancellationToken(std::function<bool()> is_cancelled) : is_cancelled_(std::move(is_cancelled)) {}

  /// From `std::stop_token`, or anything else with `stop_requested()`. Implicit on purpose.
  template <class StopToken, class = std::enable_if_t<std::is_convertible_v<
                                 decltype(std::declval<const StopToken&>().stop_requested()), bool>>>
  CancellationToken(StopToken token) : is_cancelled_([token = std::move(token)] { return token.stop_requested(); }) {}

  [[nodiscard]] bool is_cancelled() const { return is_cancelled_ && is_cancelled_(); }

 private:
  std::function<bool()> is_cancelled_;
};

/// How long one call may take, and whether it is still wanted. Handed down unchanged through every port, so that one
/// deadline spans all attempts and stages below. The deadline is on the steady clock (a `Clock`'s `steady_now()`).
struct CallOptions {
  CancellationToken cancellation{};
  std::optional<std::chrono::steady_clock::time_point> deadline{};  ///< Unset: only each stage's own time limit.
};

}  // namespace ctxmgr
