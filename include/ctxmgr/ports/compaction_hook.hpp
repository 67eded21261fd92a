#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"

namespace ctxmgr {

/// A compaction as its hook sees it. Views, valid during the call only.
struct CompactionEvent {
  std::string_view scope{};  ///< `BuildRequest::scope`.
  const std::vector<ConversationMessage>&
      history;                     ///< The whole conversation; the report's messages count from 1 in it.
  const CompactionReport& report;  ///< Before: the messages that would go, and the tokens that would be left.
};

/// Port: asked around each compaction of a thread whose state is carried along, but not in dry runs. For notes to a memory
/// of the host's own, pins, and what the model should know afterwards. Called by the thread that builds, several at once for
/// different builds. The build waits for it. Its exceptions are dropped, with a note.
class CTXMGR_API CompactionHook {
 public:
  CompactionHook() = default;
  CompactionHook(const CompactionHook&) = delete;
  CompactionHook& operator=(const CompactionHook&) = delete;
  virtual ~CompactionHook();

  /// Before it: numbers of messages that shall stay whole until the next compaction, a call with all its results. At most 16,
  /// and at most a quarter of the room; what is over that goes all the same. Default: none.
  [[nodiscard]] virtual std::vector<std::size_t> before_compaction(const CompactionEvent& event);

  /// After it: a text that stands behind the notes until the next compaction, as data of the application. At most 1 024 bytes
  /// and 0.05 of the room; more of it is cut off. Default: none.
  [[nodiscard]] virtual std::string after_compaction(const CompactionEvent& event);
};

}  // namespace ctxmgr
