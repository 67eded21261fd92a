#include "session/memory_path.hpp"

#include <algorithm>

#include "core/utf8.hpp"

namespace ctxmgr::session {
namespace {

constexpr std::string_view where = "Paths begin with /memories and lead nowhere else.";

tl::unexpected<std::string> refuse(std::string_view what) {
  return tl::unexpected(std::string(what).append(" ").append(where));
}

/// "%2e", "%2f" and "%5c" mean nothing here, but may to who shows or exports the files.
bool has_encoded_separator(std::string_view path) {
  for (auto at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
    const auto code = path.substr(at + 1, 2);
    if (code == "2e" || code == "2E" || code == "2f" || code == "2F" || code == "5c" || code == "5C") return true;
  }
  return false;
}

bool has_control(std::string_view path) {
  return std::any_of(path.begin(), path.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_name(std::string_view segment) { return !segment.empty() && segment != "." && segment != ".."; }

}  // namespace

tl::expected<std::string, std::string> memory_path(std::string_view written) {
  if (written.size() > 1 && written.back() == '/') written.remove_suffix(1);
  if (written.size() > max_memory_path_bytes) return refuse("the path is over 512 bytes.");
  if (!utf8::is_valid(written) || has_control(written)) return refuse("the path has bytes that no name has.");
  if (written != memory_root && !is_below(written, memory_root)) return refuse("the path is not in the memory.");
  if (written.find('\\') != std::string_view::npos || has_encoded_separator(written)) {
    return refuse("the path has an encoded separator or a backslash.");
  }
  for (auto rest = written.substr(1); !rest.empty();) {
    const auto end = std::min(rest.find('/'), rest.size());
    if (!is_name(rest.substr(0, end))) return refuse("the path has an empty segment, \".\" or \"..\".");
    if (end + 1 == rest.size()) return refuse("the path has an empty segment, \".\" or \"..\".");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::string(written);
}

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.substr(0, directory.size()) == directory &&
         path[directory.size()] == '/';
}

}  // namespace ctxmgr::session
