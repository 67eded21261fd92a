#pragma once
#include <cstdint>
#include <string_view>

namespace ctxmgr::engine {

/// What a user's message says by itself about the request before it.
struct RequestText {
  std::uint64_t bytes = 0;
  bool has_question = false;  ///< A question mark.
  bool is_aside = false;      ///< Short, and it asks: "Is the first file done?"
  bool only_goes_on = false;  ///< "Go on.", "yes", "weiter": what was asked before, not something new.
};

[[nodiscard]] RequestText read_request_text(std::string_view text);

}  // namespace ctxmgr::engine
