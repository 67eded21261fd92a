#include "engine/words/room_words.hpp"

#include <algorithm>

#include "core/worded.hpp"

namespace ctxmgr::engine {
namespace {

/// In groups of three digits.
std::string grouped(std::int64_t value) {
  constexpr std::size_t digits = 3;
  auto text = std::to_string(value);
  for (auto at = text.size(); at > digits; at -= digits) text.insert(at - digits, " ");
  return text;
}

}  // namespace

std::string words_of_room(std::int64_t used, std::int64_t most) {
  return worded("{} of {} tokens are free.", grouped(std::max<std::int64_t>(0, most - used)), grouped(most));
}

}  // namespace ctxmgr::engine
