#pragma once
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// Name for the conversation that a request belongs to, from how it begins: its instructions and the user's first words
/// stay while it grows. Two that begin alike have one name, which costs hits of the prompt cache and nothing else; the
/// header `x-ctxmgr-thread` tells them apart. Empty where the request is none; a build says why.
[[nodiscard]] std::string thread_of(std::string_view body);

/// A name that a client gave: 1 to 100 printable ASCII characters.
[[nodiscard]] bool is_valid_thread(std::string_view name);

}  // namespace ctxpack::serve
