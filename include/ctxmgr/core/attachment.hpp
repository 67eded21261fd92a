#pragma once
#include <string>

namespace ctxmgr {

/// A document or data set that came with a request: by value, or as a reference to one stored earlier.
/// It needs `content` or `attachment_id`; where both are there, `content` is used.
struct RequestAttachment {
  std::string attachment_id{};  ///< Name of a stored attachment.
  std::string content{};        ///< UTF-8 text.
  std::string title{};
  std::string source{};  ///< URL, path, …
  std::string attachment_type = "document";
};

}  // namespace ctxmgr
