#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/structure/case_folding.hpp"

namespace ctxmgr::engine {

/// Words that mean the same.
template <class Value>
struct Words {
  Value value;
  std::string_view words;  ///< Separated by single blanks.
};

inline std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(' ', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// What each folded word means.
template <class Value, std::size_t Size>
std::unordered_map<std::string, Value> table_of(const std::array<Words<Value>, Size>& entries) {
  std::unordered_map<std::string, Value> table;
  for (const auto& entry : entries)
    for (const auto word : words_of(entry.words)) table.emplace(fold_case(word), entry.value);
  return table;
}

}  // namespace ctxmgr::engine
