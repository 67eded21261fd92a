#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// Where an artifact is shown.
enum class Place {
  block,  ///< In the artifact block before the question.
  steps,  ///< In the message of the current turn's steps, at the end.
};

/// One artifact of a build, wherever it came from.
struct Item {
  const Artifact* artifact = nullptr;
  Place place = Place::block;
  std::size_t message = nowhere;  ///< Of an inline item: the tool message that has the same content.
  bool historical = false;
};

/// Everything that takes part in a build, without copies of what is not the build's own.
struct Gathered {
  std::vector<Artifact> step_artifacts{};  ///< Of the current steps.
  std::vector<Item> items{};               ///< Attached, historical, of current steps: new ones come last.
  std::vector<Item> inline_items{};        ///< Shown where their message is, and not planned a second time.
  std::optional<std::size_t> question{};   ///< The last user message that asks something.
  std::optional<std::size_t> last_word{};  ///< The last message, where it is a user's that asks nothing.
  std::string query{};                     ///< What relevance is judged by.
};

/// Step 1. `invalid_argument` for two artifacts of one id, `limit_exceeded` for one of more than 16 MiB.
/// The result points into `context` and `thread`.
[[nodiscard]] Result<Gathered> gather(const Context& context, const ThreadAnalysis& thread, const std::string& query);

/// What a short question refers to: the last turns among the first `end` messages, newest first, without the query
/// itself. Nothing where no assistant takes part: a transcript of other people's talk says nothing of the kind.
[[nodiscard]] std::vector<std::string> hints_of(const Context& context, const Gathered& gathered, std::size_t end);

/// A tool message as an artifact: how it is masked, extracted and archived.
[[nodiscard]] Artifact artifact_of_message(const std::vector<ConversationMessage>& messages, std::size_t message);

/// Chained over everything of the items that a selection depends on.
[[nodiscard]] std::vector<Fingerprint> fingerprints(const std::vector<Item>& items);

}  // namespace ctxmgr::engine
