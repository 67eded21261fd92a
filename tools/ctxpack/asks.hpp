#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message.hpp"

/// \file
/// Questions about what a run has seen before, spliced into it as user messages: is the answer in the request?
namespace ctxpack {

struct Ask {
  std::size_t at = 0;                ///< Index of the question in the run.
  std::string form{};                ///< "value", "error", "file" and so on; figures are kept by it.
  std::string question{};            ///< As it was spliced in: this message is no answer.
  std::vector<std::string> parts{};  ///< All have to stand near the last of them, in one message.
  std::size_t within = 0;            ///< Near: that many characters before and after it.
  std::vector<std::string> paths{};  ///< In place of parts: the share of them that is anywhere in the request counts.
  std::int64_t before = 0;           ///< Estimated tokens of the thread before the question.
  std::int64_t age = 0;              ///< Estimated tokens between the answer and the question.
};

/// What is compared: escapes of JSON undone, white space as one blank.
[[nodiscard]] std::string flat(std::string_view text);

/// Whether a flat text has all parts of the answer, near each other.
[[nodiscard]] bool has_parts(const Ask& ask, const std::string& flat_text);

/// A thread over the budget whose answer is further back than half of it: no tail keeps that for certain.
[[nodiscard]] bool counts(const Ask& ask, std::int64_t budget);

/// A request that should have the answer: the one for the question, and those of the three steps after it.
struct Asked {
  std::size_t ask = 0;
  bool is_first = false;  ///< The question's own.
};

/// For each message of the run what its request should have. Questions that do not count are left out.
[[nodiscard]] std::vector<std::vector<Asked>> asked_by_step(const std::vector<Ask>& asks,
                                                            const std::vector<ctxmgr::ConversationMessage>& messages,
                                                            std::int64_t budget);

}  // namespace ctxpack
