#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/history/thread_analysis.hpp"
#include "engine/history/tool_result_views.hpp"

namespace ctxmgr::engine {

/// The newest part of the history, as it will be sent: all groups from `cut` on.
/// Fixed groups are sent whatever this says, and count elsewhere.
struct Suffix {
  std::size_t cut = 0;  ///< First message of the first group that is in.
  std::size_t images_from =
      0;  ///< Users' messages before it are sent without images and files; 0 in a thread that grows.
  std::map<std::size_t, std::int64_t> extracts{};  ///< Tool results that are sent as an extract of so many tokens.
  std::int64_t tokens = 0;                         ///< What its groups that are not fixed count.
  std::vector<std::size_t> dropped{};  ///< First messages of groups that are left out all the same, ascending.
  std::size_t reasoning_before = 0;    ///< Messages before this one are sent without their reasoning.

  [[nodiscard]] bool is_dropped(const Group& group) const {
    return std::binary_search(dropped.begin(), dropped.end(), group.first);
  }
};

/// How much room a suffix gets.
struct SuffixRoom {
  std::int64_t total = 0;   ///< What all of it may take.
  std::int64_t newest = 0;  ///< What its newest group may take, where that is more than `total`.
  std::int64_t most = 0;    ///< What the newest group may take where it cannot be shortened to `newest`.
  bool extracts = true;     ///< Whether results of the newest group may be sent as extracts.
};

/// Chooses suffixes. A group is fixed if the analysis says so, if it is the question or the last word.
class SuffixPlanner {
 public:
  /// `last_word`: a last message that is sent whole as well, though it asks nothing.
  SuffixPlanner(const ThreadAnalysis& thread, std::optional<std::size_t> question, ToolResultViews& views,
                std::optional<std::size_t> last_word = std::nullopt);

  /// Output of tools, whatever role carries it, and the calls.
  [[nodiscard]] bool is_output(std::size_t message) const;

  /// Whole history, nothing shortened.
  [[nodiscard]] Suffix everything() const;

  /// The same cut and extracts as before, over the history as it is now. Once there is a cut, nothing stands before a
  /// service's own compaction.
  [[nodiscard]] Suffix again(Suffix before);

  /// From the newest group backwards, whole while there is room for it, then without images, then not at all: the first group
  /// that does not fit ends it.
  [[nodiscard]] Suffix newest_within(SuffixRoom room);

  /// What the results of a group become, so that it takes at most `most` tokens: extracts, none of them shorter than is
  /// of use. Empty where it fits as it is, or has no results. `tokens_of`: what a message of it counts so far.
  [[nodiscard]] std::map<std::size_t, std::int64_t> extracts_within(
      std::size_t group, std::int64_t most, const std::function<std::int64_t(std::size_t)>& tokens_of) const;

  /// Whether a message of the suffix is sent without images, if it has some.
  [[nodiscard]] bool is_without_images(std::size_t message, const Suffix& suffix) const;

  /// The same suffix without its oldest group; false where it has none left.
  [[nodiscard]] bool drop_oldest_group(Suffix& suffix);

  /// The same suffix without images but for the newest; false where that changes nothing.
  [[nodiscard]] bool keep_newest_images(Suffix& suffix);

  [[nodiscard]] bool is_fixed(std::size_t group) const;

  /// Tokens of the groups before the cut that are not sent.
  [[nodiscard]] std::int64_t tokens_before(std::size_t cut) const;

  /// What a message of the suffix counts as it will be sent.
  [[nodiscard]] std::int64_t sent_tokens(std::size_t message, const Suffix& suffix);

 private:
  bool can_be_shortened(std::size_t message) const;
  bool take_without_media(std::size_t g, std::int64_t room, Suffix& suffix);
  std::int64_t tokens_without_images(const Group& group);
  std::int64_t sent_tokens(const Group& group, const Suffix& suffix);
  bool take_newest(std::size_t group, std::int64_t room, Suffix& suffix);
  void start_at_user_message(Suffix& suffix);

  const ThreadAnalysis& thread_;
  std::optional<std::size_t> question_group_;
  std::optional<std::size_t> last_word_group_;
  ToolResultViews& views_;
};

}  // namespace ctxmgr::engine
