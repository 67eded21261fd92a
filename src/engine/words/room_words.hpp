#pragma once
#include <cstdint>
#include <string>

namespace ctxmgr::engine {

/// "12 400 of 32 000 tokens are free."
[[nodiscard]] std::string words_of_room(std::int64_t used, std::int64_t most);

}  // namespace ctxmgr::engine
