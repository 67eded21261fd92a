#pragma once
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// What the proxy has to know of a request beyond what a build makes of it.
struct Glance {
  /// Name for the conversation that it belongs to, from how it begins: its instructions and the user's first words stay
  /// while it grows. Two that begin alike have one name, which costs hits of the prompt cache and nothing else; the
  /// header `x-ctxmgr-thread` tells them apart. Empty where the request is none; a build says why.
  std::string thread{};

  std::string model{};

  /// Whether the agent offers `get_context`. A handle that nobody can read would make a model call what is not there.
  bool reads_back = false;
};

[[nodiscard]] Glance glance_at(std::string_view body);

/// A name that a client gave: 1 to 100 printable ASCII characters.
[[nodiscard]] bool is_valid_thread(std::string_view name);

}  // namespace ctxpack::serve
