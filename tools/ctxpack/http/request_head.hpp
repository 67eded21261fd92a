#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctxmgr/core/error.hpp"

namespace ctxpack::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// How the end of a body is known.
enum class Framing { none, length, chunked };

/// What stands before a request's body.
struct RequestHead {
  std::string method{};
  std::string target{};  ///< Path and query, as they came.
  std::string path{};    ///< Without percent signs.
  Headers headers{};     ///< Names in lower case.
  Framing framing = Framing::none;
  std::size_t body_bytes = 0;  ///< Where the framing is a length.
  bool is_http_1_0 = false;
  bool keeps_alive = true;
  bool expects_continue = false;

  /// The first of that name (in lower case); empty where there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// Of the query, without percent signs; empty where there is none.
  [[nodiscard]] std::string parameter(std::string_view name) const;
};

/// Where the head in these bytes ends, the empty line included; npos where it has not ended yet.
[[nodiscard]] std::size_t end_of_head(std::string_view bytes);

/// Reads a head strictly: what two readers could take in two ways is `invalid_argument` (two lengths, a length that is no
/// number, a length beside a transfer coding, other codings than chunked, a GET with a body, folded lines, bare line
/// ends), and so is a path with dot segments, encoded or not.
[[nodiscard]] ctxmgr::Result<RequestHead> parse_head(std::string_view head);

/// Whether it leads nowhere but down: no dot segments, also after decoding it more than once, and no control characters.
[[nodiscard]] bool is_plain_path(std::string_view path);

[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace ctxpack::http
