#include "adapters/bpe/ranked_tokens.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>

namespace ctxmgr::bpe {
namespace {

constexpr std::size_t max_token_bytes = 1'024;

// Merges found so far; ranks ascend, so whatever is in the table may be used.
class KnownMerges {
 public:
  explicit KnownMerges(std::size_t tokens) { ranks_.reserve(tokens); }

  void add(Merge merge, Rank rank) { ranks_.emplace(key(merge), rank); }

  /// Byte pair encoding by its definition: merge the pair of the lowest rank, the leftmost of equal ones.
  void encode(std::vector<Rank>& parts) const {
    while (parts.size() > 1) {
      Rank lowest = no_rank;
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto found = ranks_.find(key({parts[i], parts[i + 1]}));
        if (found != ranks_.end() && found->second < lowest) {
          lowest = found->second;
          at = i;
        }
      }
      if (lowest == no_rank) return;
      parts[at] = lowest;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }

 private:
  static std::uint64_t key(Merge merge) { return static_cast<std::uint64_t>(merge.left) << 32U | merge.right; }
  std::unordered_map<std::uint64_t, Rank> ranks_;
};

}  // namespace

Result<Vocabulary> make_vocabulary(const std::vector<std::string>& tokens) {
  if (tokens.size() < 256) return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  std::string bytes;
  Rank rank_of_byte[256] = {};
  for (Rank rank = 0; rank < 256; ++rank) {
    if (tokens[rank].size() != 1)
      return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
    rank_of_byte[static_cast<unsigned char>(tokens[rank][0])] = rank;
    bytes += tokens[rank];
  }
  KnownMerges known(tokens.size());
  std::vector<Merge> merges;
  merges.reserve(tokens.size() - 256);
  std::vector<Rank> parts;
  for (std::size_t rank = 256; rank < tokens.size(); ++rank) {
    if (tokens[rank].size() > max_token_bytes) return fail(ErrorCode::bad_data, "vocabulary: a token is too long");
    parts.clear();
    for (const char c : tokens[rank]) parts.push_back(rank_of_byte[static_cast<unsigned char>(c)]);
    known.encode(parts);
    if (parts.size() != 2) return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
    merges.push_back({parts[0], parts[1]});
    known.add(merges.back(), static_cast<Rank>(rank));
  }
  return Vocabulary::make(bytes, Merges(merges));
}

}  // namespace ctxmgr::bpe
