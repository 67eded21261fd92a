#include "engine/selection/knapsack.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/utf8.hpp"

namespace ctxmgr::engine {
namespace {

// One token a character: what texts cost adds up exactly.
std::unique_ptr<TokenCounter> characters() {
  return make_token_counter(
      [](std::string_view text) { return static_cast<std::int64_t>(utf8::count_code_points(text)); });
}

// An item whose atoms are words of the given lengths, and what each is worth.
struct Item {
  ItemAnalysis analysis;
  std::string text;
  std::string header;
  std::vector<double> gain;

  void add(std::size_t length, double worth, const std::string& blank = " ") {
    if (!text.empty()) text += blank;
    Atom atom;
    atom.begin = static_cast<std::uint32_t>(text.size());
    text.append(length, static_cast<char>('a' + gain.size() % 26));
    atom.end = static_cast<std::uint32_t>(text.size());
    analysis.atoms.push_back(atom);
    analysis.atom_token_begin.push_back(0);
    if (gain.empty()) analysis.atom_token_begin.push_back(0);
    gain.push_back(worth);
  }
};

std::vector<Candidate> candidates_of(const std::vector<Item>& items) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Candidate candidate;
    candidate.item = i;
    candidate.analysis = &items[i].analysis;
    candidate.text = items[i].text;
    candidate.header = items[i].header;
    candidate.gain = items[i].gain;
    candidate.relevance = 1;
    candidates.push_back(candidate);
  }
  return candidates;
}

Room room_of(std::int64_t tokens) {
  Room room;
  room.tokens = tokens;
  room.separator = "\n";
  return room;
}

// What was chosen is worth.
double worth_of(const Allocation& allocation, const std::vector<Item>& items) {
  double worth = 0;
  for (const Allotment& allotment : allocation.chosen) {
    const Item& item = items[allotment.candidate];
    for (std::size_t a = 0; a < item.gain.size(); ++a)
      if (allotment.rendered.text.find(item.text[item.analysis.atoms[a].begin]) != std::string::npos)
        worth += item.gain[a];
  }
  return worth;
}

// The most that one item can be worth for each number of tokens, separator included; the last entry is for `room`.
std::vector<double> best_of_item(const Item& item, std::size_t room) {
  std::vector<double> best(room + 1, 0);
  const auto offer = [&](std::size_t cost, double worth) {
    if (cost <= room) best[cost] = std::max(best[cost], worth);
  };
  const std::size_t header = item.header.empty() ? 0 : item.header.size() + 1;
  for (std::size_t set = 1; set < std::size_t{1} << item.gain.size(); ++set) {
    AtomSet chosen(item.gain.size(), 0);
    double worth = 0;
    for (std::size_t a = 0; a < item.gain.size(); ++a) {
      chosen[a] = static_cast<char>(set >> a & 1U);
      worth += chosen[a] != 0 ? item.gain[a] : 0;
    }
    offer(header + utf8::count_code_points(render_atoms(item.text, item.analysis, chosen).text) + 1, worth);
  }
  return best;
}

// Multiple-choice knapsack by dynamic programming, one choice for each item.
double optimum(const std::vector<Item>& items, std::int64_t tokens) {
  const std::size_t room = static_cast<std::size_t>(tokens) + 1;  // One separator less than items.
  std::vector<double> worth(room + 1, 0);
  for (const Item& item : items) {
    const std::vector<double> best = best_of_item(item, room);
    std::vector<double> next = worth;
    for (std::size_t cost = 1; cost <= room; ++cost)
      for (std::size_t used = 0; best[cost] > 0 && used + cost <= room; ++used)
        next[used + cost] = std::max(next[used + cost], worth[used] + best[cost]);
    for (std::size_t used = 1; used <= room; ++used) next[used] = std::max(next[used], next[used - 1]);
    worth = std::move(next);
  }
  return worth.back();
}

// Items as they come: sentences whose worth grows with their length to the power of 0.7.
std::vector<Item> any_items(std::size_t longest_atom) {
  std::vector<Item> items(*rc::gen::inRange<std::size_t>(2, 13));
  for (Item& item : items) {
    const double relevance = std::pow(*rc::gen::inRange(10, 101) / 100.0, 3);
    item.header.assign(*rc::gen::inRange<std::size_t>(0, 20), 'H');
    const auto atoms = *rc::gen::inRange<std::size_t>(1, 9);
    for (std::size_t a = 0; a < atoms; ++a) {
      const auto length = *rc::gen::inRange<std::size_t>(longest_atom / 6, longest_atom + 1);
      item.add(length, relevance * *rc::gen::inRange(50, 101) / 100.0 * std::pow(static_cast<double>(length), 0.7));
    }
  }
  return items;
}

std::int64_t size_of(const std::vector<Item>& items) {
  std::size_t size = 0;
  for (const Item& item : items) size += item.header.size() + item.text.size() + 2;
  return static_cast<std::int64_t>(size);
}

double share_of_optimum(const std::vector<Item>& items, std::int64_t tokens) {
  const Allocation allocation = allocate(candidates_of(items), room_of(tokens), *characters());
  RC_ASSERT(allocation.tokens <= tokens);
  const double best = optimum(items, tokens);
  return best > 0 ? worth_of(allocation, items) / best : 1;
}

TEST(AllocationTest, TheMostForTheRoomComesFirst) {
  std::vector<Item> items(2);
  items[0].add(20, 1);
  items[1].add(20, 2);
  const Allocation allocation = allocate(candidates_of(items), room_of(25), *characters());
  ASSERT_EQ(allocation.chosen.size(), 1U);
  EXPECT_EQ(allocation.chosen[0].candidate, 1U);
  EXPECT_EQ(allocation.chosen[0].view, ArtifactView::full);
}

TEST(AllocationTest, AWholeThatFitsWhenWrittenShorterIsTakenWhole) {
  std::vector<Item> items(1);
  items[0].text = "[ ";
  for (int i = 0; i < 8; ++i) items[0].add(20, 1, i == 0 ? " " : ",         ");
  for (const Atom& atom : items[0].analysis.atoms) items[0].text[atom.begin] = items[0].text[atom.end - 1] = '"';
  items[0].text += "]";
  items[0].analysis.format = ContentFormat::json;
  const Allocation dense = allocate(candidates_of(items), room_of(170), *characters());
  ASSERT_EQ(dense.chosen.size(), 1U);
  EXPECT_EQ(dense.chosen[0].view, ArtifactView::dense);
  EXPECT_EQ(dense.tokens, 8 * 20 + 7 + 2);
}

TEST(AllocationTest, WhatAddsNothingIsLeftOut) {
  std::vector<Item> items(2);
  items[0].add(20, 1);
  items[1].add(20, 0);
  EXPECT_EQ(allocate(candidates_of(items), room_of(500), *characters()).chosen.size(), 1U);
}

TEST(AllocationTest, NoRoomGivesNothing) {
  std::vector<Item> items(1);
  items[0].add(20, 1);
  for (const std::int64_t tokens : {-5, 0, 10})
    EXPECT_TRUE(allocate(candidates_of(items), room_of(tokens), *characters()).chosen.empty());
}

// Where no atom takes more than a twenty-fourth of the room, filling by density loses next to nothing.
RC_GTEST_PROP(AllocationPropertyTest, IsNearTheOptimumWhereAtomsAreSmall, ()) {
  const std::vector<Item> items = any_items(40);
  const std::int64_t tokens = std::max<std::int64_t>(24 * 40, size_of(items) * *rc::gen::inRange(10, 90) / 100);
  RC_ASSERT(share_of_optimum(items, tokens) >= 0.97);
}

// Where one may take a third, what is left over at the end weighs more.
RC_GTEST_PROP(AllocationPropertyTest, LosesLittleWhereAtomsAreCoarse, ()) {
  const std::vector<Item> items = any_items(60);
  const std::int64_t tokens = std::max<std::int64_t>(180, size_of(items) * *rc::gen::inRange(10, 90) / 100);
  const double share = share_of_optimum(items, tokens);
  RC_TAG(share > 0.99 ? "over 99 %" : share > 0.97 ? "over 97 %" : "less");
  RC_ASSERT(share >= 0.7);
}

TEST(AllocateTest, WhatComesWithAHeadingPaysForItOnce) {
  std::vector<Item> items(1);
  items[0].add(40, 0, "\n");  // "order 12 …"
  items[0].add(9, 10, "\n");  // under it
  items[0].add(9, 10, "\n");  // likewise
  items[0].add(9, 9, "\n");   // under nothing
  items[0].add(9, 9, "\n");   // likewise
  items[0].analysis.atoms[1].heading = 0;
  items[0].analysis.atoms[2].heading = 0;
  const auto chosen = [&](std::int64_t tokens) {
    const Allocation allocation = allocate(candidates_of(items), room_of(tokens), *characters());
    return allocation.chosen.empty() ? std::string() : allocation.chosen[0].rendered.text;
  };
  EXPECT_EQ(chosen(30).find("bbb"), std::string::npos);
  EXPECT_NE(chosen(30).find("ddd"), std::string::npos);
  EXPECT_NE(chosen(100).find("ccc"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr::engine
