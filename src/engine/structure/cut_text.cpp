#include <utility>
#include <vector>

#include "engine/structure/sentences.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t shortest_sentence = 25;  // bytes; shorter ones go with the next

}  // namespace

void cut_prose(std::string_view text, std::size_t base, std::vector<Atom>& atoms) {
  std::vector<std::pair<std::size_t, std::size_t>> sentences;
  const auto is_short = [&sentences] { return sentences.back().second - sentences.back().first < shortest_sentence; };
  for (const auto sentence : sentences_of(text, SentenceUse::pieces)) {
    const auto begin = static_cast<std::size_t>(sentence.data() - text.data());
    if (sentences.empty() || !is_short()) sentences.emplace_back(begin, 0);
    sentences.back().second = begin + sentence.size();
  }
  // A short rest goes with the sentence before it.
  if (sentences.size() > 1 && is_short()) {
    const auto end = sentences.back().second;
    sentences.pop_back();
    sentences.back().second = end;
  }
  for (const auto& [begin, end] : sentences) add_atom(text, base, begin, end, AtomKind::sentence, atoms);
}

}  // namespace ctxmgr::engine
