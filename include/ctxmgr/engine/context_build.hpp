#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/engine/built_context.hpp"
#include "ctxmgr/ports/llm_client.hpp"

namespace ctxmgr {

/// A build that waits for nobody: it says which model calls it needs, takes the replies as they come, and goes on. For
/// hosts whose event loop, coroutines or game loop do the I/O. `ContextManager::build()` is this in a loop:
///
///     while (!build.done()) answer_all(build.next_calls());   // each answer: build.reply(id, response)
///     auto built = std::move(build).finish();
///
/// A failed call is not the end: hand in its `Error`, and the build falls back. To cancel, destroy the build. To keep a
/// deadline, finish early. For a dry run, finish at once: plan and receipt are those of a build without a model.
///
/// Thread-safety: one thread at a time, any thread. Builds are independent of each other.
class CTXMGR_API ContextBuild {
 public:
  ContextBuild(ContextBuild&&) noexcept;
  ContextBuild& operator=(ContextBuild&&) noexcept;
  ~ContextBuild();

  /// Calls to make now, at the same time where possible; each is given out once. First the plan, then the summaries,
  /// then summaries of summaries for very large artifacts.
  [[nodiscard]] std::vector<PendingCall> next_calls();

  /// The reply to one of them, or its failure. Unknown and repeated ids are ignored.
  void reply(std::size_t id, Result<LlmResponse> response);

  /// No call is outstanding and none is needed any more.
  [[nodiscard]] bool done() const;

  /// Assembles, verifies and writes the receipt. Calls without a reply count as failed. Once only. `invalid_argument`
  /// where the context has changed since the build was started.
  [[nodiscard]] Result<BuiltContext> finish() &&;

 private:
  friend class ContextManager;
  struct Impl;
  explicit ContextBuild(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ctxmgr
