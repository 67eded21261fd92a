#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

using TokenId = std::uint32_t;

/// A byte-level BPE encoding: text to tokens and back, equal to OpenAI's tiktoken token for token.
///
/// Special tokens in text ("<|endoftext|>") are text. Bytes that are not UTF-8 count as U+FFFD, one for each maximal
/// malformed part, which is what a service sees after its decoder. Everything takes time linear in the text.
///
///     const auto encoding = BpeEncoding::load("o200k_base");
///     const auto tokens = encoding->count("Hello, world");
///
/// A value with shared, immutable content: copies are cheap.
/// Thread-safety: const methods may be called from several threads at once; none of them takes a lock.
class CTXMGR_API BpeEncoding {
 public:
  /// One that is compiled in: "o200k_base" or "cl100k_base". `not_found` for any other name. Load it once and share it.
  [[nodiscard]] static Result<BpeEncoding> load(std::string_view name);

  /// From the content of a `.tiktoken` file, or of a Hugging Face `tokenizer.json` with byte-level BPE (Llama 3, Qwen).
  /// A `.tiktoken` file does not say how text is split, so `name` has to begin with a known family: "o200k",
  /// "cl100k", "llama3" or "qwen" (else `invalid_argument`). `bad_data` for malformed content, and for a
  /// `tokenizer.json` whose split pattern or normaliser is none of those known.
  [[nodiscard]] static Result<BpeEncoding> parse(std::string_view content, std::string name);

  /// `parse` on a file; `not_found` where it cannot be read.
  [[nodiscard]] static Result<BpeEncoding> load_file(const std::string& path, std::string name);

  [[nodiscard]] const std::string& name() const;

  /// Tokens without the special ones.
  [[nodiscard]] std::size_t vocabulary_size() const;

  [[nodiscard]] std::int64_t count(std::string_view text) const;

  /// The same, but may stop past `limit` and return any number above it that is not above the true count.
  [[nodiscard]] std::int64_t count_up_to(std::string_view text, std::int64_t limit) const;

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const;

  /// The text of tokens; malformed UTF-8 where they cut a character. `invalid_argument` for ids that the vocabulary
  /// lacks, special tokens among them.
  [[nodiscard]] Result<std::string> decode(const std::vector<TokenId>& tokens) const;

 private:
  struct Impl;
  explicit BpeEncoding(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// Exact counts by an encoding that is compiled in, named as in `ModelInfo::tokenizer`. It is loaded once (some milliseconds
/// and megabytes: make one counter and share it) and serves all threads without a lock. `not_found` for any other name.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<TokenCounter>> make_bpe_token_counter(
    std::string_view tokenizer = "o200k_base");

/// A counter for each encoding that is compiled in, so that builds count exactly for all of OpenAI's models. Each call
/// loads them anew: make them once and share them.
///
///     options.token_counters = exact_counters();
[[nodiscard]] CTXMGR_API std::vector<std::shared_ptr<TokenCounter>> exact_counters();

/// A counter over an encoding that is already loaded: of a file, `BpeEncoding::load_file()`.
[[nodiscard]] CTXMGR_API std::unique_ptr<TokenCounter> make_bpe_token_counter(BpeEncoding encoding);

}  // namespace ctxmgr
