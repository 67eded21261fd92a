#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// What the proxy has to know of a request beyond what a build makes of it.
struct Glance {
  /// Name for the conversation that it belongs to, from its owner and how it begins: its instructions and the user's first
  /// words stay while it grows, and so do the names that agents give it for themselves (`prompt_cache_key`, `conversation`,
  /// `metadata.user_id`). Two of one owner that begin alike have one name, which costs hits of the prompt cache and nothing
  /// else; the header `x-ctxmgr-thread` tells them apart. Empty where the request is none; a build says why.
  std::string thread{};

  std::string first_words{};  ///< Of the user, one line of at most 80 bytes, for people.
  std::string model{};

  std::string_view tools{};  ///< The text of the agent's definitions, in the body; empty where there are none.

  /// Whether the agent offers `get_context`. A handle that nobody can read would make a model call what is not there.
  bool reads_back = false;

  /// Whether all that the service will count stands in the request: nothing that it keeps (`previous_response_id`), fetches (a
  /// picture's address) or does itself (hosted tools). From any other request nobody learns how the service counts.
  bool carries_all_input = true;

  std::int64_t output_tokens = 0;  ///< That the answer may have; 0: the request does not say.
};

/// `owner`: whose request it is, so that two of them never share a name.
[[nodiscard]] Glance glance_at(std::string_view body, const std::string& owner = {});

/// A name that a client gave: 1 to 100 printable ASCII characters.
[[nodiscard]] bool is_valid_thread(std::string_view name);

/// Under which what belongs to an owner is kept. No client can give such a name: it has a space in it.
[[nodiscard]] std::string kept_name(const std::string& name, const std::string& owner);

}  // namespace ctxpack::serve
