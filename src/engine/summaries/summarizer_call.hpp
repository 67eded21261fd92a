#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr::engine {

/// A summary may be longer than its target by a fifth.
[[nodiscard]] constexpr std::int64_t longest_summary_tokens(std::int64_t target_tokens) {
  return target_tokens * 6 / 5;
}

/// The most that a reply may count.
[[nodiscard]] std::int64_t summary_output_tokens(std::int64_t target_tokens);

/// Part of every summary's cache key: to be changed with every change of the prompt or of what is accepted.
inline constexpr std::string_view summary_prompt_version = "summary-4";

/// Where a stretch of a conversation is from, and what matters of it, whoever asks.
inline constexpr std::string_view conversation_provenance = "the conversation so far";
inline constexpr std::string_view conversation_focus = "what was asked, found, decided, what failed, and what is open";

/// `invalid_argument` where they are too long, or a heading or language is none.
[[nodiscard]] Result<void> check(const SummaryInstructions& instructions);

/// The prompt's version with what a host adds to it: the part of a cache key.
[[nodiscard]] std::string prompt_version(const SummaryInstructions& instructions);

/// One artifact (or a part of one, or the summaries of its parts), one call: the summariser sees no other text, has no
/// tools and no secrets, so that a hostile artifact can spoil its own summary only. Pure.
[[nodiscard]] LlmRequest make_summary_request(std::string_view content, std::string_view source, std::string_view focus,
                                              std::int64_t target_tokens, const std::string& model,
                                              const SummaryInstructions& instructions = {});

/// Asks whether a summary says only what its source says. Pure.
[[nodiscard]] LlmRequest make_check_request(std::string_view content, std::string_view summary,
                                            const std::string& model);

/// Whether the reply says yes. `bad_data` with what is wrong where it says anything else. Pure.
[[nodiscard]] Result<void> read_check(const LlmResponse& response);

/// As many whole sentences or lines from its beginning as fit; empty where none does. Pure.
[[nodiscard]] std::string whole_sentences_within(std::string text, std::int64_t tokens, const TokenCounter& counter);

/// The summary in a reply, fit to be shown. `bad_data` where it is empty, refused, cut off, not shorter than its source,
/// or names numbers or identifiers that neither its source nor a heading asked for has: then an extract is better. Pure.
[[nodiscard]] Result<std::string> accept_summary(const LlmResponse& response, std::string_view source,
                                                 std::int64_t target_tokens, const TokenCounter& counter,
                                                 const SummaryInstructions& instructions = {});

}  // namespace ctxmgr::engine
