#include "engine/history/said_words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "engine/history/shortened_text.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::int64_t label_tokens = 6;  // "[123] " and the end of the line

/// What a long message may take, one step after the other.
constexpr std::array<std::int64_t, 4> steps{400, 200, 120, 60};

std::int64_t sum(const std::vector<std::int64_t>& tokens) {
  std::int64_t all = 0;
  for (const auto one : tokens) all += one;
  return all;
}

std::vector<SaidWords> newest_of_equals(std::vector<SaidWords> said) {
  std::set<std::string> known;
  std::vector<SaidWords> newest_first;
  for (auto one = said.rbegin(); one != said.rend(); ++one)
    if (known.insert(one->text).second) newest_first.push_back(std::move(*one));
  return {std::make_move_iterator(newest_first.rbegin()), std::make_move_iterator(newest_first.rend())};
}

/// Rules first, then the first message, then the newest.
std::vector<std::size_t> by_worth(const std::vector<SaidWords>& said) {
  std::vector<std::size_t> order(said.size());
  for (std::size_t i = 0; i < said.size(); ++i) order[i] = said.size() - 1 - i;
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return said[i].is_rule || i == 0; });
  return order;
}

}  // namespace

std::vector<SaidWords> fit_said_words(std::vector<SaidWords> said, std::int64_t limit, const TokenCounter& counter) {
  said = newest_of_equals(std::move(said));
  std::vector<std::int64_t> tokens;
  for (const auto& one : said) tokens.push_back(counter.count(one.text) + label_tokens);
  for (const auto most : steps) {
    if (sum(tokens) <= limit) break;
    for (std::size_t i = 0; i < said.size(); ++i) {
      const bool is_newest = i + 1 == said.size() && i > 0;
      if (tokens[i] <= most + label_tokens || is_newest) continue;
      const auto shorter = head_and_tail({Role::user, said[i].text}, most, counter);
      if (!shorter) continue;
      said[i].text = text_of(*shorter);
      tokens[i] = counter.count(said[i].text) + label_tokens;
    }
  }
  std::set<std::size_t> kept;
  for (const auto i : by_worth(said)) {
    if (tokens[i] > limit) continue;
    limit -= tokens[i];
    kept.insert(i);
  }
  std::vector<SaidWords> fitting;
  for (const auto i : kept) fitting.push_back(std::move(said[i]));
  return fitting;
}

}  // namespace ctxmgr::engine
