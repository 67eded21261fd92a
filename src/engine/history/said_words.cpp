#include "engine/history/said_words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/ascii.hpp"
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

/// Long texts that differ in their digits only are one text, as a harness says it: "found 3 actions", "found 0 actions".
std::string without_digits_of(const std::string& text) {
  constexpr std::size_t long_text = 200;  // bytes
  std::string rest;
  if (text.size() < long_text) return text;
  std::remove_copy_if(text.begin(), text.end(), std::back_inserter(rest), ascii::is_digit);
  return rest;
}

std::vector<SaidWords> newest_of_equals(std::vector<SaidWords> said) {
  std::set<std::string> known;
  std::vector<SaidWords> newest_first;
  for (auto one = said.rbegin(); one != said.rend(); ++one)
    if (known.insert(without_digits_of(one->text)).second) newest_first.push_back(std::move(*one));
  return {std::make_move_iterator(newest_first.rbegin()), std::make_move_iterator(newest_first.rend())};
}

/// Rules first, the shortest of them before all, then the first message, then the newest.
std::vector<std::size_t> by_worth(const std::vector<SaidWords>& said, const std::vector<std::int64_t>& tokens) {
  std::vector<std::size_t> order(said.size());
  for (std::size_t i = 0; i < said.size(); ++i) order[i] = said.size() - 1 - i;
  const auto rank = [&](std::size_t i) {
    constexpr auto behind_rules = std::numeric_limits<std::int64_t>::max();
    if (!said[i].rules.empty()) return tokens[i];
    return i == 0 ? behind_rules - 1 : behind_rules;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace

std::string rules_missing_in(std::string_view text, const std::vector<std::string>& rules, std::size_t most_bytes) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (text.find(rules[i]) == std::string_view::npos) missing.push_back(i);
  std::stable_sort(missing.begin(), missing.end(),
                   [&rules](std::size_t a, std::size_t b) { return rules[a].size() < rules[b].size(); });
  std::set<std::size_t> kept;
  for (const auto i : missing) {
    if (rules[i].size() > most_bytes) break;
    most_bytes -= rules[i].size();
    kept.insert(i);
  }
  std::string joined;
  for (const auto i : kept) joined += (joined.empty() ? "" : "\n… ") + rules[i];
  return joined;
}

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
      constexpr std::int64_t bytes_per_token = 3;  // So that rules take about as much again at most.
      const auto missing =
          rules_missing_in(text_of(*shorter), said[i].rules, static_cast<std::size_t>(most * bytes_per_token));
      said[i].text = text_of(*shorter);
      if (!missing.empty()) said[i].text += "\n… " + missing;
      tokens[i] = counter.count(said[i].text) + label_tokens;
    }
  }
  std::set<std::size_t> kept;
  for (const auto i : by_worth(said, tokens)) {
    if (tokens[i] > limit) continue;
    limit -= tokens[i];
    kept.insert(i);
  }
  std::vector<SaidWords> fitting;
  for (const auto i : kept) fitting.push_back(std::move(said[i]));
  return fitting;
}

}  // namespace ctxmgr::engine
