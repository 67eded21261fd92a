#pragma once
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "c/requests.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/wire.hpp"

namespace ctxmgr::c {

/// A build of a thread: the messages in its body are those that are new.
struct ThreadCall {
  std::optional<std::int64_t> keep{};  ///< So many messages stay, from the first on; the later ones go. Unset: all.
  BuildCall build{};
};
[[nodiscard]] Result<ThreadCall> read_thread_call(std::string_view text);

/// A conversation that grows: it holds what has been read, so that a step reads what is new.
/// Thread-safety: calls wait for each other. The manager must outlive it.
class Thread {
 public:
  explicit Thread(const ContextManager& manager) : manager_(manager) {}

  /// Takes the new messages and fits the whole into the budget. Where it fails, the thread is as it was before.
  [[nodiscard]] Result<std::string> build(ThreadCall call, const CallOptions& options);

  /// A copy of what there is, as a build without new messages would give it to the manager: for preparing a compaction while
  /// the thread goes on. `invalid_argument` where the body has messages.
  [[nodiscard]] Result<WireRequest> copy(BuildCall call, const CallOptions& options);

 private:
  /// Some of the last messages, as they were read and as they came.
  struct Tail {
    std::vector<ConversationMessage> read{};
    std::vector<std::string> written{};
  };
  Tail cut(std::size_t keep);
  void append(Tail tail);
  Result<std::string> build_all(const Json& body, const BuildRequest& request, const CallOptions& options);
  Json unchanged(const std::vector<ConversationMessage>& built) const;

  std::mutex mutex_{};
  const ContextManager& manager_;
  Context context_{};
  std::vector<std::string> written_{};  ///< Each message as it came.
  std::vector<std::size_t> hashes_{};   ///< A hash of each message as it was read.
  std::string state_{};
};

}  // namespace ctxmgr::c
