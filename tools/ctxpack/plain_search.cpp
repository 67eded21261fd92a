#include "plain_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ctxpack {
namespace {

constexpr std::size_t passage_length = 400;  // Characters.
constexpr std::size_t heading_shown = 80;
constexpr std::int64_t block_framing = 16;  // Tokens.
constexpr double saturation = 1.2;
constexpr double length_weight = 0.75;

enum class Kind { other, digit, lower, upper };

Kind kind_of(char c) {
  if (c >= '0' && c <= '9') return Kind::digit;
  if (c >= 'a' && c <= 'z') return Kind::lower;
  return c >= 'A' && c <= 'Z' ? Kind::upper : Kind::other;
}

bool is_word_byte(char c) { return kind_of(c) != Kind::other || c == '_'; }

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (kind_of(c) == Kind::upper) c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

/// "readAll2" has "read", "all" and "2".
std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < word.size();) {
    const auto kind = kind_of(word[first]);
    std::size_t last = first + 1;
    const bool is_title = kind == Kind::upper && last < word.size() && kind_of(word[last]) == Kind::lower;
    while (last < word.size() && kind_of(word[last]) == (is_title ? Kind::lower : kind)) ++last;
    if (kind != Kind::other) parts.push_back(lower(word.substr(first, last - first)));
    first = last;
  }
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t first = 0; first < text.size();) {
    std::size_t last = first;
    while (last < text.size() && is_word_byte(text[last])) ++last;
    if (last > first) {
      const auto word = text.substr(first, last - first);
      words.push_back(lower(word));
      if (auto parts = parts_of(word); parts.size() > 1) words.insert(words.end(), parts.begin(), parts.end());
    }
    first = last + 1;
  }
  return words;
}

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  std::string now;
  for (std::size_t first = 0; first <= text.size();) {
    const auto end = std::min(text.find('\n', first), text.size());
    const auto last = std::min(end, first + 2 * passage_length);
    if (!now.empty() && now.size() + (last - first) > passage_length) pieces.push_back(std::exchange(now, {}));
    now += std::string(text.substr(first, last - first)) + "\n";
    first = last == end ? end + 1 : last;
  }
  if (now.find_first_not_of(" \t\r\n") != std::string::npos) pieces.push_back(now);
  return pieces;
}

double score_of(const Passage& passage, const std::map<std::string, double>& weights, double mean_length) {
  double score = 0;
  for (const auto& [word, weight] : weights) {
    const auto found = passage.words.find(word);
    if (found == passage.words.end()) continue;
    const double norm = saturation * (1 - length_weight + length_weight * passage.length / mean_length);
    score += weight * found->second * (saturation + 1) / (found->second + norm);
  }
  return score;
}

std::map<std::string, double> weights_of(std::string_view question, const std::vector<const Passage*>& passages) {
  std::map<std::string, double> weights;
  const auto all = static_cast<double>(passages.size());
  for (const auto& word : words_of(question)) {
    const auto with = static_cast<double>(std::count_if(passages.begin(), passages.end(), [&](const Passage* passage) {
      return passage->words.find(word) != passage->words.end();
    }));
    weights[word] = std::log(1 + (all - with + 0.5) / (with + 0.5));
  }
  return weights;
}

}  // namespace

std::vector<Passage> passages_of(std::string_view heading, std::string_view text) {
  std::vector<Passage> passages;
  for (auto& piece : pieces_of(text)) {
    Passage passage;
    for (auto& word : words_of(std::string(heading.substr(0, passage_length)) + " " + piece)) {
      ++passage.words[word];
      ++passage.length;
    }
    passage.text = heading.empty() ? std::move(piece) : std::string(heading.substr(0, heading_shown)) + ": " + piece;
    passages.push_back(std::move(passage));
  }
  return passages;
}

std::string best_passages(const std::vector<const Passage*>& passages, std::string_view question, std::int64_t tokens,
                          const ctxmgr::TokenCounter& counter) {
  if (passages.empty()) return {};
  double length = 0;
  for (const auto* passage : passages) length += passage->length;
  const auto weights = weights_of(question, passages);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < passages.size(); ++i)
    if (const double score = score_of(*passages[i], weights, length / static_cast<double>(passages.size())); score > 0)
      ranked.emplace_back(-score, i);
  std::sort(ranked.begin(), ranked.end());
  std::string block;
  std::int64_t used = block_framing;
  for (const auto& [unused, i] : ranked) {
    const auto cost = counter.count(passages[i]->text);
    if (used + cost > tokens) continue;
    used += cost;
    block += (block.empty() ? "" : "\n…\n") + passages[i]->text;
  }
  return block;
}

}  // namespace ctxpack
