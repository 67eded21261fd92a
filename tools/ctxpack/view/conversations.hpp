#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "view/run.hpp"

namespace ctxpack::view {

/// By when they were last seen, newest first. `steps` in their order.
[[nodiscard]] std::vector<Conversation> conversations_of(const std::vector<std::shared_ptr<const Step>>& steps);

/// "5 577 of 8 000 tokens; 88.0 % of the conversation is not sent; saved $1.250". Says it where no request of it came to a build.
[[nodiscard]] std::string sentence_of(const Conversation& conversation);

/// "4 calls of gpt-5-nano: 12 900 tokens in, 300 out, $0.002". Says it where the price is not known.
[[nodiscard]] std::string words_of(const Summaries& summaries);

/// The newest request that came to a build; where none did, the newest. There is at least one.
[[nodiscard]] const Step& newest_built(const std::vector<Step>& steps);

/// Why the service's cache gave less than it could: what the request shares with the one before, against what the service
/// reported. Empty where nothing is amiss, or nothing is known.
[[nodiscard]] std::string words_of_miss(const Step& step);

/// Whether the request wrote its beginning anew, since something had to give way: of what the request before sent, it keeps less
/// than nine tenths. `before`: of the same conversation; null: there was none.
[[nodiscard]] bool is_compaction(const Step& step, const Step* before);

/// What people see of a conversation first: the user's first words, or its name where they are not known.
[[nodiscard]] std::string title_of(const Conversation& conversation);

/// The name by which people know a conversation: without whose it is.
[[nodiscard]] std::string short_name(const std::string& thread);

}  // namespace ctxpack::view
