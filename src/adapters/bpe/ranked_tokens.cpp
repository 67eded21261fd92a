#include "adapters/bpe/ranked_tokens.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ctxmgr::bpe {
namespace {

constexpr std::size_t max_token_bytes = 1'024;

// Putting a token together takes the square of its length. All of a real vocabulary's take some ten millions; where merges
// have to be searched for, each is dearer.
constexpr std::size_t max_work = std::size_t{1} << 28U;
constexpr std::size_t max_search_work = std::size_t{1} << 26U;

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

// The merges of tokens that are all made of earlier ones; nothing where they are not.
std::optional<std::vector<Merge>> merges_in_order(const std::vector<std::string>& tokens, const Rank* rank_of_byte) {
  KnownMerges known(tokens.size());
  std::vector<Merge> merges;
  merges.reserve(tokens.size() - 256);
  std::vector<Rank> parts;
  for (std::size_t rank = 256; rank < tokens.size(); ++rank) {
    parts.clear();
    for (const char c : tokens[rank]) parts.push_back(rank_of_byte[static_cast<unsigned char>(c)]);
    known.encode(parts);
    if (parts.size() != 2) return std::nullopt;
    merges.push_back({parts[0], parts[1]});
    known.add(merges.back(), static_cast<Rank>(rank));
  }
  return merges;
}

using Ranks = std::unordered_map<std::string, Rank>;

// What a token is merged from where all others may be used; no ranks where merging never makes it.
Merge last_merge(const std::string& token, const Ranks& ranks) {
  std::vector<std::string> parts;
  for (const char c : token) parts.emplace_back(1, c);
  while (parts.size() > 2) {
    Rank lowest = no_rank;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find(parts[i] + parts[i + 1]);
      if (found == ranks.end() || found->second >= lowest) continue;
      lowest = found->second;
      at = i;
    }
    if (lowest == no_rank) return {};
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return {ranks.at(parts[0]), ranks.at(parts[1])};
}

// When a token is made, if the later of its parts is no earlier: the latest rank in it, and how many merges behind that.
struct Turn {
  Rank latest = no_rank;
  Rank behind = 0;
};

class Turns {
 public:
  explicit Turns(const std::vector<Merge>& merges) : merges_(merges), turns_(merges.size()) {}

  Turn of(Rank rank) {  // no deeper than a token has bytes
    Turn& turn = turns_[rank];
    if (turn.latest != no_rank) return turn;
    turn = {rank, 0};
    if (rank < 256 || merges_[rank].left == no_rank) return turn;
    for (const Rank part : {merges_[rank].left, merges_[rank].right}) {
      const Turn before = of(part);
      if (before.latest > turn.latest || (before.latest == turn.latest && before.behind >= turn.behind)) {
        turn = {before.latest, before.behind + 1};
      }
    }
    return turn;
  }

  // Made late, a token takes what stands behind its left part; that must not be what a token that is made before, and of
  // which it is made itself, would have begun with.
  bool may_wait(Rank rank) {
    const Rank right = merges_[rank].right;
    for (Rank part = merges_[rank].left; of(part).latest == of(rank).latest; part = merges_[part].left) {
      if (part < 256 || merges_[part].left == no_rank) break;
      if (merges_[part].left == right) return false;
    }
    return true;
  }

 private:
  const std::vector<Merge>& merges_;
  std::vector<Turn> turns_;
};

Result<RankedVocabulary> reorder(const std::vector<std::string>& tokens, const std::string& bytes) {
  Ranks ranks;
  for (Rank rank = 0; rank < tokens.size(); ++rank) {
    if (!ranks.emplace(tokens[rank], rank).second)
      return fail(ErrorCode::bad_data, "vocabulary: a token is there twice");
  }
  std::vector<Merge> merges(tokens.size());
  for (Rank rank = 256; rank < tokens.size(); ++rank) merges[rank] = last_merge(tokens[rank], ranks);
  Turns turns(merges);
  std::vector<Rank> places;
  std::vector<std::string> whole;
  for (Rank rank = 0; rank < tokens.size(); ++rank) {
    const bool is_merged = rank < 256 || merges[rank].left != no_rank;
    if (is_merged) places.push_back(rank);
    if (is_merged && rank >= 256 && turns.of(rank).behind > 0 && !turns.may_wait(rank)) {
      return fail(ErrorCode::bad_data, "vocabulary: its merges cannot be put in order");
    }
  }
  std::stable_sort(places.begin() + 256, places.end(), [&](Rank a, Rank b) {
    const Turn first = turns.of(a);
    const Turn second = turns.of(b);
    return first.latest != second.latest ? first.latest < second.latest : first.behind < second.behind;
  });
  std::vector<Rank> new_ranks(tokens.size(), no_rank);
  for (Rank rank = 0; rank < places.size(); ++rank) new_ranks[places[rank]] = rank;
  std::vector<Merge> ordered;
  for (std::size_t i = 256; i < places.size(); ++i) {
    const Merge merge = merges[places[i]];
    if (new_ranks[merge.left] == no_rank || new_ranks[merge.right] == no_rank) {
      return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
    }
    ordered.push_back({new_ranks[merge.left], new_ranks[merge.right]});
  }
  for (Rank rank = 256; rank < tokens.size(); ++rank) {
    if (merges[rank].left != no_rank) continue;
    places.push_back(rank);
    whole.push_back(tokens[rank]);
  }
  auto vocabulary = Vocabulary::make(bytes, Merges(ordered), whole);
  if (!vocabulary) return tl::unexpected(std::move(vocabulary).error());
  return RankedVocabulary{*std::move(vocabulary), std::move(places)};
}

}  // namespace

Result<RankedVocabulary> make_vocabulary(const std::vector<std::string>& tokens, bool whole_pieces) {
  if (tokens.size() < 256) return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
  std::string bytes;
  Rank rank_of_byte[256] = {};
  for (Rank rank = 0; rank < 256; ++rank) {
    if (tokens[rank].size() != 1)
      return fail(ErrorCode::bad_data, "vocabulary: the first 256 tokens are not the bytes");
    rank_of_byte[static_cast<unsigned char>(tokens[rank][0])] = rank;
    bytes += tokens[rank];
  }
  std::size_t work = 0;
  for (const std::string& token : tokens) {
    if (token.size() > max_token_bytes || token.empty()) {
      return fail(ErrorCode::bad_data, "vocabulary: a token is empty or too long");
    }
    work += token.size() * token.size();
  }
  if (work > max_work || (whole_pieces && work > max_search_work)) {
    return fail(ErrorCode::bad_data, "vocabulary: too many of its tokens are long");
  }
  if (const auto merges = merges_in_order(tokens, rank_of_byte)) {
    auto vocabulary = Vocabulary::make(bytes, Merges(*merges));
    if (!vocabulary) return tl::unexpected(std::move(vocabulary).error());
    return RankedVocabulary{*std::move(vocabulary), {}};
  }
  if (!whole_pieces) return fail(ErrorCode::bad_data, "vocabulary: a token cannot be reached by merges");
  return reorder(tokens, bytes);
}

}  // namespace ctxmgr::bpe
