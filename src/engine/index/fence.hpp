#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::engine {

/// Text that is data, between the lines "<NAME-MARK>" and "</NAME-MARK>", as it is. The mark does not occur in the text, so
/// that no text can close its fence: the given one where that holds, else digits that are derived from the text. The same
/// text gives the same bytes.
[[nodiscard]] std::string fenced(std::string_view name, std::string_view text, std::string_view mark = {});

}  // namespace ctxmgr::engine
