#pragma once
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"

namespace ctxmgr::test {

/// Texts of pieces that exercise every cutter, in any order, and bytes that belong to none: structures that never close,
/// other line ends, invalid UTF-8, control characters, pieces far longer than an atom.
inline rc::Gen<std::string> any_text() {
  std::string quotes(40, '\"');
  quotes += '\n';
  const auto piece = rc::gen::element<std::string>(
      "alpha ", "beta. ", "Gamma delta! ", "\n", "\n\n", "\r\n", "\t", "# Heading\n", "## Deeper\n",
      "```\ncode();\n```\n", "```cpp\n", "~~~\n", "| a | b |\n", "|---|---|\n", "| c |\n",
      "{\"key\": \"W123\", \"n\": [1, 2]}", "{\"id\": 7}, ", "{\"id\": 8, \"error\": null}\n", "[[", "]]",
      "日本語のテキスト。", "naïve café ", "\xF0\x9F\x98\x80", "\xFF\xC3", "\xE3\x80", "e\xCC\x81", "[", "{", "}", ",",
      ":", "\"", "\\", "\\u00e4", "- item\n", "error: failed\n", "diff --git a/x b/x\n", "--- a/x\n+++ b/x\n",
      "@@ -1 +1 @@\n", "-old\n+new\n kept\n", std::string("\0", 1), "2024-01-01 10:00:00 INFO x\n",
      "2024-01-01 10:00:01 ERROR y 12\n", "a,b,c\n", "1,2,\"3\n4\"\n", "int f() {\n", "}\n",
      "Ann: ", "user: ", "\xE2\x80\xA6", std::string(700, 'z'), quotes, std::string(300, '['));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& p : pieces) text += p;
    return text;
  });
}

inline rc::Gen<ContentFormat> any_format() {
  return rc::gen::element(ContentFormat::automatic, ContentFormat::text, ContentFormat::markdown, ContentFormat::json,
                          ContentFormat::code, ContentFormat::log, ContentFormat::diff, ContentFormat::table);
}

}  // namespace ctxmgr::test
