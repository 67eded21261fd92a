#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/ports/compaction_hook.hpp"
#include "ctxmgr/ports/token_counter.hpp"
#include "engine/history/suffix.hpp"
#include "engine/history/thread_analysis.hpp"

/// What a compaction tells the host, and what the host says to it.
namespace ctxmgr::engine {

/// Groups that are not sent.
struct HiddenMessages {
  std::size_t cut = 0;                 ///< Groups that begin before this message are hidden.
  std::vector<std::size_t> dropped{};  ///< So are these, named by their first messages, ascending.
  std::vector<std::size_t> kept{};     ///< These are sent all the same, named likewise.

  [[nodiscard]] bool holds(std::size_t first) const;
};

/// Ranges of messages, counted from 1, that are hidden now and were not before. Only groups that begin before the message `end`
/// are looked at. `shown` has the first messages of groups that are sent all the same. What is fixed is never hidden. Pure.
[[nodiscard]] std::vector<SequenceRange> hidden_since(const HiddenMessages& before, const HiddenMessages& now,
                                                      const ThreadAnalysis& thread, const SuffixPlanner& suffixes,
                                                      std::size_t end, const std::vector<std::size_t>& shown);

/// First messages of the groups before the cut that the hook wants kept, as far as `most` tokens allow. Ascending. `notes` gets what
/// could not be used: an exception, and numbers that no message has.
[[nodiscard]] std::vector<std::size_t> groups_to_keep(CompactionHook& hook, const CompactionEvent& event,
                                                      const ThreadAnalysis& thread, const SuffixPlanner& suffixes,
                                                      std::size_t cut, std::int64_t most,
                                                      std::vector<std::string>& notes);

/// What the hook says afterwards, cut to what a state carries and to `most` tokens as a message. `notes` as above.
[[nodiscard]] std::string text_of_host(CompactionHook& hook, const CompactionEvent& event, const TokenCounter& counter,
                                       std::int64_t most, std::vector<std::string>& notes);

/// As it is sent: data of the application.
[[nodiscard]] ConversationMessage host_message(const std::string& text);

}  // namespace ctxmgr::engine
