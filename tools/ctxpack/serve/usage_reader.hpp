#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/usage.hpp"

namespace ctxpack::serve {

/// Reads what an answer says of its tokens while it passes, of either service, streamed or whole. An answer that says
/// nothing, or is none, leaves zeros.
class UsageReader {
 public:
  explicit UsageReader(std::string_view content_type);

  void read(std::string_view bytes);
  void end();
  [[nodiscard]] const ctxmgr::UsageMetadata& usage() const { return usage_; }

 private:
  void read_json(std::string_view text);

  const bool is_stream_;
  std::string pending_;  ///< A line that has begun, or the whole body so far.
  bool is_too_long_ = false;
  ctxmgr::UsageMetadata usage_;
};

}  // namespace ctxpack::serve
