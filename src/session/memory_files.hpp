#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/session/memory_options.hpp"

namespace ctxmgr::session {

struct MemoryFile {
  std::string path;
  std::size_t bytes = 0;
};

/// What a file becomes: a text, nothing, or the same under another name.
struct MemoryEdit {
  std::string path;
  std::optional<std::string> text{};  ///< None: it is gone.
  std::string new_path{};             ///< Not empty: the text, which is the file's own, stands there.
};

/// `invalid_argument` where no memory could be kept so.
[[nodiscard]] Result<void> check_memory(const MemoryOptions& options);

/// The namespace of a user's memory.
[[nodiscard]] std::string memory_namespace(const MemoryOptions& options);

/// One user's files as they are while nobody changes them: what was read here is still so when `commit()` succeeds.
/// Opened, used and dropped within one call.
class MemoryFiles {
 public:
  [[nodiscard]] static Result<MemoryFiles> open(const MemoryOptions& options, const CallOptions& call);

  /// In byte order.
  [[nodiscard]] const std::vector<MemoryFile>& files() const { return files_; }
  [[nodiscard]] const MemoryFile* find(std::string_view path) const;
  [[nodiscard]] bool is_directory(std::string_view path) const;
  [[nodiscard]] Result<std::string> read(const std::string& path) const;

  /// All of the edits in one write, with an entry of the history for each. `conflict`: somebody else changed the memory
  /// since it was opened; then everything is done anew. `limit_exceeded`, with words for the model: it would get too
  /// large.
  [[nodiscard]] Result<void> commit(std::string_view command, std::vector<MemoryEdit> edits) const;

 private:
  MemoryFiles(const MemoryOptions& options, const CallOptions& call) : options_(&options), call_(&call) {}
  [[nodiscard]] Result<void> check_limits(const std::vector<MemoryEdit>& edits) const;

  const MemoryOptions* options_;
  const CallOptions* call_;
  std::vector<MemoryFile> files_;
  std::uint64_t head_version_ = 0;  // of the key that every change rewrites
  std::int64_t first_change_ = 1;   // the oldest that is remembered
  std::int64_t next_change_ = 1;
};

/// The changes that are remembered, newest first.
[[nodiscard]] Result<std::vector<MemoryChange>> read_changes(const MemoryOptions& options, std::size_t limit,
                                                             const CallOptions& call);

}  // namespace ctxmgr::session
