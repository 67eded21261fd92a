#pragma once

namespace ctxmgr {

/// How content is cut into chunks and shortened; `automatic` looks at the content. Part of content hashes: frozen (v1).
enum class ContentFormat { automatic, text, markdown, json, code, log, diff, table };

}  // namespace ctxmgr
