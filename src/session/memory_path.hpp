#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace ctxmgr::session {

inline constexpr std::string_view memory_root = "/memories";
inline constexpr std::size_t max_memory_path_bytes = 512;

/// The path that a model wrote, without a slash at its end; or a sentence about why it is none. It lies under
/// `/memories`, whatever reads it: no "..", no empty segment, nothing encoded, no backslash, no control character.
[[nodiscard]] tl::expected<std::string, std::string> memory_path(std::string_view written);

/// Whether a file lies in a directory, at any depth.
[[nodiscard]] bool is_below(std::string_view path, std::string_view directory);

}  // namespace ctxmgr::session
