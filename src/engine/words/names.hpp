#pragma once
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// The names in a text, in its order, repetitions included: runs of letters, digits, `_ / . -` of at least four characters,
/// without `. / -` at both ends, that have a digit, one of `_ / . -`, or a capital behind a small letter. Of a path over 60
/// bytes the tail. Lines in base64 have none, and neither have pieces of numbers and times. Views into the text. Linear; any
/// bytes will do.
[[nodiscard]] std::vector<std::string_view> names_in(std::string_view text);

/// A name of a text with the slash that begins its path, where there is one: "/etc/hosts", "~/.ssh/config". `name`: of `names_in(text)`.
[[nodiscard]] std::string_view with_root(std::string_view text, std::string_view name);

/// The words of at least four letters that stand in capitals: in a question the name of something, such as LICENSE. Views into
/// the text. Linear; any bytes will do.
[[nodiscard]] std::vector<std::string_view> capitals_in(std::string_view text);

/// Whether a name has a letter and a digit or one of `_ / .`, as paths, variables and numbers of products do. What is said
/// in everyday words has none: neither "gluten-free" nor "40.00".
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace ctxmgr::engine
