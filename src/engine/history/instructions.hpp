#pragma once
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// Whether a sentence tells an assistant how to go on from now on, or takes such a rule back: always, never, I prefer, when
/// I ask, stop, no longer, instead, forget. Questions, reports of what somebody said, and what is said about others do
/// not. By rules in twelve languages; any bytes will do.
[[nodiscard]] bool instructs(std::string_view sentence);

/// Whether a sentence tells what somebody else says: "Tom wrote that …", "according to the page". What the writer himself says or
/// said is no report. In the same languages; any bytes will do.
[[nodiscard]] bool reports_speech(std::string_view sentence);

/// Whether words say nothing but that something follows, and from when on it holds: "One more thing", "please, from now on".
[[nodiscard]] bool only_introduces(std::string_view words);

/// The sentences of a text, with their closing marks. Where a full stop may end one or not, two stay together, unless
/// `split_in_doubt`. Views into the text.
[[nodiscard]] std::vector<std::string_view> sentences_of(std::string_view text, bool split_in_doubt = false);

}  // namespace ctxmgr::engine
