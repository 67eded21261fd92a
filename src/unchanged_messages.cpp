#include "unchanged_messages.hpp"

#include <string>
#include <unordered_map>

#include "ctxmgr/core/json_text.hpp"
#include "engine/history/content_hash.hpp"

namespace ctxmgr {
namespace {

/// Some numbers, by their lowest bits: far more is looked up than is in it.
class Sieve {
 public:
  void add(std::uint64_t number) { bits_[number % size] = true; }
  [[nodiscard]] bool may_hold(std::uint64_t number) const { return bits_[number % size]; }

 private:
  static constexpr std::size_t size = std::size_t{1} << 14;
  std::vector<bool> bits_ = std::vector<bool>(size);
};

}  // namespace

std::vector<std::optional<std::size_t>> find_unchanged(const std::vector<ConversationMessage>& read,
                                                       const std::vector<std::uint64_t>& hashes,
                                                       const std::vector<ConversationMessage>& built) {
  // Far more is read than built: only what may be the same is written out to be compared.
  Sieve wanted;
  for (const ConversationMessage& message : built) wanted.add(engine::content_hash(message));
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = read.size(); i-- > 0;) {
    if (wanted.may_hold(hashes[i])) places[to_json(read[i])].push_back(i);
  }
  std::vector<std::optional<std::size_t>> found;
  std::size_t next = 0;
  for (const ConversationMessage& message : built) {
    auto& place = found.emplace_back();
    const auto candidates = places.find(to_json(message));
    if (candidates == places.end()) continue;
    auto& left = candidates->second;  // The last is the first.
    while (!left.empty() && left.back() < next) left.pop_back();
    if (left.empty()) continue;
    place = left.back();
    next = *place + 1;
  }
  return found;
}

}  // namespace ctxmgr
