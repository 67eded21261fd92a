#pragma once
#include <string_view>

#include "ctxmgr/core/export.hpp"
namespace ctxmgr {

/// How content is cut into chunks and shortened; `automatic` looks at the content. Part of content hashes: frozen (v1).
enum class ContentFormat { automatic, text, markdown, json, code, log, diff, table };
[[nodiscard]] CTXMGR_API std::string_view to_string(ContentFormat value);

}  // namespace ctxmgr
