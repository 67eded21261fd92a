#pragma once
#include <cstddef>
#include <string_view>

#include "adapters/bpe/char_class.hpp"

namespace ctxmgr::bpe {

/// The regular expressions by which encodings split a text before merging, each written by hand. They are:
///
///     cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
///             |\s*[\r\n]+|\s+(?!\S)|\s+                      cl100k_base, Llama 3
///     qwen    the same with \p{N} for \p{N}{1,3}             Qwen 2 and 3
///     o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///             |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///             |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
enum class SplitPattern { cl100k, qwen, o200k };

/// Not UTF-8, so there is no piece.
inline constexpr std::size_t malformed_piece = static_cast<std::size_t>(-1);

/// Where the piece that starts at `pos` ends; `malformed_piece` where that depends on bytes that are not UTF-8.
/// \pre `pos` is less than the size of the text, and at the start of a piece.
template <SplitPattern pattern>
std::size_t piece_end(std::string_view text, std::size_t pos);

/// The same, character by character: what `piece_end` uses beyond ASCII, and what tests compare it with.
template <SplitPattern pattern>
std::size_t piece_end_by_character(std::string_view text, std::size_t pos);

}  // namespace ctxmgr::bpe
