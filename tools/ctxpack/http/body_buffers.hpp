#pragma once
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace ctxpack::http {

/// Memory of large bodies between requests. The system gives memory page by page, which takes longer than reading what is put there.
/// Thread-safety: all methods may be called from several threads at once.
class BodyBuffers {
 public:
  explicit BodyBuffers(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// An empty text with room for so many bytes.
  [[nodiscard]] std::string take(std::size_t bytes);

  /// Keeps the newest, as far as they have room.
  void give_back(std::string buffer);

 private:
  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::vector<std::string> buffers_{};  ///< Oldest first.
  std::size_t bytes_ = 0;
};

}  // namespace ctxpack::http
