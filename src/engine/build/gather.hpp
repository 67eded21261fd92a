#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message_shape.hpp"
#include "ctxmgr/core/model_catalog.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "engine/history/known_messages.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/index/fingerprint.hpp"

namespace ctxmgr::engine {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// What an item is, and with it where it is shown.
enum class ItemKind {
  artifact,        ///< Shown in the block before the question.
  step_result,     ///< Shown in the message of the current turn's steps, at the end.
  older_messages,  ///< The messages before the cut: excerpts or a summary, first in the block.
};

/// What a build decides about and shows, wherever it came from.
struct Item {
  const Artifact* artifact = nullptr;
  ItemKind kind = ItemKind::artifact;
  std::size_t message = nowhere;      ///< The tool message that has the same content, of an inline item.
  std::size_t step_result = nowhere;  ///< The number of a step's result among those of all steps.
  bool historical = false;
  std::int64_t tokens = 0;         ///< What the whole counts; 0 until it is counted.
  std::string header{};            ///< The line above an extract of it.
  std::int64_t header_tokens = 0;  ///< What that line counts.
};

/// Everything that takes part in a build, without copies of what is not the build's own.
struct Gathered {
  std::vector<Artifact> step_artifacts{};  ///< What the current steps found.
  std::vector<Item> items{};         ///< Attached ones, historical ones, those of current steps: new ones come last.
  std::vector<Item> inline_items{};  ///< They are shown where their message is, and not planned a second time.
  std::optional<std::size_t> question{};   ///< The last user message that asks something.
  std::optional<std::size_t> last_word{};  ///< The last message, where it is a user's that asks nothing.
  std::string query{};                     ///< What relevance is judged by.

  /// What is searched for: the query. In a chat a short one that refers back stands behind those that it refers to, and small talk
  /// ("thanks!") leaves the one before it.
  std::string searched{};
};

/// `invalid_argument` for two artifacts of one id, one without, or a document that is no text, `limit_exceeded` for one of more than 16 MiB.
[[nodiscard]] Result<void> check(const std::vector<Item>& items);

/// As the request says, or as the model's provider wants it.
[[nodiscard]] MessageShape shape_for(const BuildRequest& request, std::string_view provider);

/// What is done about a history that is not well.
struct MendedContext {
  std::unique_ptr<const Context> context{};  ///< Null where the one that was given is sent.
  std::vector<std::size_t> put_in{};         ///< Places of its messages that the given one has not.
  std::vector<std::string> notes{};          ///< What the receipt says of it.
};

/// The context with a history that services take: for the service of the model. Results without their
/// call become artifacts, which are fenced and give way as such. Linear, and copies only what is broken.
/// `known`: of its messages.
[[nodiscard]] MendedContext mend(const Context& context, const BuildRequest& request, const ModelInfo& model = {},
                                 const std::shared_ptr<KnownMessages>& known = std::make_shared<KnownMessages>());

/// Collects what takes part. `invalid_argument` for two artifacts of one id, `limit_exceeded` for one of more than 16 MiB.
/// The result points into `context` and `thread`.
[[nodiscard]] Result<Gathered> gather(const Context& context, const ThreadAnalysis& thread, const std::string& query);

/// What a short question refers to: the last turns among the first `end` messages, newest first, without the query
/// itself. Nothing where no assistant takes part: a transcript of other people's talk says nothing of the kind.
[[nodiscard]] std::vector<std::string> hints_of(const Context& context, const Gathered& gathered, std::size_t end);

/// Chained over everything of the items that a selection depends on.
[[nodiscard]] std::vector<Fingerprint> fingerprints(const std::vector<Item>& items);

}  // namespace ctxmgr::engine
