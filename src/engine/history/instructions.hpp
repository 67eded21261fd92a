#pragma once
#include <string_view>

namespace ctxmgr::engine {

/// Whether a sentence tells an assistant how to go on from now on, or takes such a rule back: always, never, I prefer, when
/// I ask, stop, no longer, instead, forget. So does whatever follows "One more thing:" or "From now on:". Questions, reports of what somebody
/// said, and what is said about others do not. By the word lists of data/languages; any bytes will do.
[[nodiscard]] bool instructs(std::string_view sentence);

/// Whether a sentence tells an assistant to do something, once or from now on: "use British spelling". In the same languages; any
/// bytes will do.
[[nodiscard]] bool orders(std::string_view sentence);

}  // namespace ctxmgr::engine
