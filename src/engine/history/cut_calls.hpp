#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

namespace ctxmgr::engine {

/// A call that is not sent any more, and of which nothing else is said.
struct CutCall {
  std::int64_t number = 0;  ///< Of its message.
  std::string what{};       ///< The tool's name.
  std::string key{};        ///< What tells it from other calls of the tool; empty where it has no arguments.
  std::string handle{};     ///< How to read its result; may be empty.
};

/// The argument by which people know a call again: the first that is no number, on one line of at most 40 bytes.
[[nodiscard]] std::string key_of_call(const ToolCall& call);

/// One line for each tool, by its first call, in at most `limit` tokens: the newest calls' arguments as far as they fit, then
/// their handles. Every tool has its line before any call is named.
///
///     [3-83] 41 calls of read: src/fees.cpp (3) <artifact:7>, src/late_fee.cpp, 12 others
///     [9] ls
///
/// `calls` are oldest first.
[[nodiscard]] std::string collapsed_calls(const std::vector<CutCall>& calls, std::int64_t limit,
                                          const std::function<std::int64_t(std::string_view)>& count);

}  // namespace ctxmgr::engine
