#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "account.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "ctxmgr/wire.hpp"
#include "serve/api.hpp"

/// \file
/// What a budget would do, without doing it: requests go on untouched, and beside each one stands what would have gone.
namespace ctxpack::serve {

struct ShadowOptions {
  ctxmgr::ContextManager manager{};
  std::vector<std::shared_ptr<ctxmgr::TokenCounter>> counters{};  ///< Those of the manager.
  std::int64_t budget = 0;                                        ///< Tokens, tools included.
  std::function<void(const std::string&)> on_verdict{};           ///< Gets it after every 50 requests. Null: nobody.
};

/// What all requests so far say of a budget.
struct Forecast {
  std::int64_t requests = 0;
  std::int64_t conversations = 0;
  Figures everything{};
  Figures fitted{};
  std::int64_t answered = 0;    ///< Steps whose answer is known, from the request after them.
  std::int64_t lacking = 0;     ///< Of those, steps that used a name which their request would not have had.
  std::int64_t read_again = 0;  ///< Calls that the agent repeated, whose result would have been left out.
};

/// "At 32 000 tokens you would have paid 0.61 of what everything costs. 2 of 48 steps would have lacked something they used."
[[nodiscard]] std::string words_of(const Forecast& forecast, std::int64_t budget);

/// Follows conversations beside their requests. It holds the text of the newest ones, at most 64 MiB; of the others it keeps the
/// figures. Thread-safety: all methods may be called from several threads at once.
class Shadow {
 public:
  explicit Shadow(ShadowOptions options);
  ~Shadow();

  /// Builds what would have gone, and returns its receipt. `thread`: the conversation's name.
  [[nodiscard]] ctxmgr::Result<ctxmgr::ContextUtilizationMetadata> follow(Api api, const std::string& body,
                                                                          const std::string& thread,
                                                                          ctxmgr::BuildRequest request,
                                                                          const ctxmgr::CallOptions& call);

  /// Counted anew where requests have come since the last time.
  [[nodiscard]] Forecast forecast() const;
  [[nodiscard]] std::string verdict() const { return words_of(forecast(), options_.budget); }

 private:
  struct Followed;

  [[nodiscard]] ctxmgr::ThreadState state_of(const std::string& thread) const;
  [[nodiscard]] bool record(const std::string& thread, ctxmgr::WireRequest in,
                            const ctxmgr::Result<ctxmgr::BuiltContext>& built);
  [[nodiscard]] Followed& followed(const std::string& thread, const std::vector<std::string>& keys);
  void make_room();
  void add(Forecast& sum, const Followed& followed) const;
  [[nodiscard]] const ctxmgr::TokenCounter& counter_of(const ctxmgr::ModelInfo& model) const;

  const ShadowOptions options_;
  const std::shared_ptr<const ctxmgr::TokenCounter> estimate_;
  mutable std::mutex mutex_;
  Forecast ended_{};  ///< Of conversations whose text is not here any more, and of all the number of requests.
  std::list<std::unique_ptr<Followed>> followed_;  ///< The one asked last stands last.
  mutable Forecast newest_{};
};

}  // namespace ctxpack::serve
