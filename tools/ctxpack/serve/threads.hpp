#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/context_store.hpp"

namespace ctxpack::serve {

/// Whether a service counted so little that it cut the request, or counts something else: no ratio of two ways to count.
[[nodiscard]] constexpr bool is_cut(std::int64_t counted_tokens, std::int64_t real_tokens) {
  constexpr std::int64_t telling_tokens = 1'000;
  return counted_tokens >= telling_tokens && real_tokens > 0 && real_tokens < counted_tokens / 2;
}

/// What is kept of conversations between two requests. Losing it costs hits of the prompt cache and old handles, never
/// the request: a store that fails is a note, not an error.
/// Thread-safety: all methods may be called from several threads at once.
class Threads {
 public:
  explicit Threads(std::shared_ptr<ctxmgr::KeyValueStore> store);

  /// State of the build before, and scope.
  void prepare(const std::string& thread, ctxmgr::BuildRequest& request) const;
  /// By which credentials are told apart, the same for all proxies on one store.
  [[nodiscard]] std::string secret() const;

  /// The session of the thread's name, where what is left out stays readable; null where the store fails.
  [[nodiscard]] std::shared_ptr<ctxmgr::ContextStore> session(const std::string& thread) const;

  void remember(const std::string& thread, const ctxmgr::ThreadState& state) const;

  /// What a model's service counts for one token counted here, as far as this owner's requests have shown. Moves in steps of a
  /// tenth: every change of a budget is a new beginning for the prompt cache.
  [[nodiscard]] double calibration(const std::string& owner, const std::string& model) const;
  /// What one request counted here and there. One that was cut teaches nothing.
  void learn(const std::string& owner, const std::string& model, std::int64_t counted_tokens,
             std::int64_t real_tokens) const;

  /// What the model has read in a thread; empty where there is nothing. See `with_readings()`.
  [[nodiscard]] std::string readings(const std::string& thread) const;
  void keep_readings(const std::string& thread, const std::string& kept) const;

  /// Whether something can be written.
  [[nodiscard]] ctxmgr::Result<void> check() const;

  void keep_receipt(const std::string& id, const std::string& json) const;
  /// `not_found` where there is none under this id.
  [[nodiscard]] ctxmgr::Result<std::string> receipt(const std::string& id) const;

 private:
  mutable std::mutex mutex_;
  mutable std::string secret_;  ///< Empty: not read yet.
  const std::string secret_without_store_;
  const std::shared_ptr<ctxmgr::KeyValueStore> store_;
};

}  // namespace ctxpack::serve
