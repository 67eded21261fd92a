#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"

namespace ctxmgr::bpe {

/// Byte pair encoding by its definition, slowly: what the fast one is compared with.
class NaiveBpe {
 public:
  explicit NaiveBpe(const Vocabulary& vocabulary) {
    for (Rank rank = 0; rank < vocabulary.size(); ++rank) {
      ranks_.emplace(vocabulary.text_of(rank), rank);
    }
  }

  std::vector<Rank> encode(std::string_view piece) const {
    std::vector<std::string> parts;
    for (const char c : piece) parts.emplace_back(1, c);
    while (parts.size() > 1) {
      Rank lowest = no_rank;
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto found = ranks_.find(parts[i] + parts[i + 1]);
        if (found != ranks_.end() && found->second < lowest) {
          lowest = found->second;
          at = i;
        }
      }
      if (lowest == no_rank) break;
      parts[at] += parts[at + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    std::vector<Rank> ranks;
    for (const auto& part : parts) ranks.push_back(ranks_.at(part));
    return ranks;
  }

 private:
  std::unordered_map<std::string, Rank> ranks_;
};

}  // namespace ctxmgr::bpe
