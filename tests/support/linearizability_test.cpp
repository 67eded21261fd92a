#include "support/linearizability.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

namespace ctxmgr::testing {
namespace {

using Kind = Operation::Kind;

struct Times {
  std::int64_t invoked;
  std::int64_t returned;
};

Operation get(Times when, std::uint64_t version) {
  return {Kind::get, false, false, when.invoked, when.returned, 0, version, version * 10};
}
Operation listed(Times when, bool there) {
  return {Kind::list, false, false, when.invoked, when.returned, 0, there ? 1u : 0u, 0};
}
Operation set(Times when, std::uint64_t version) {
  return {Kind::set, false, false, when.invoked, when.returned, 0, version, version * 10};
}
Operation set_if(Times when, std::uint64_t expected, std::uint64_t version) {
  return {Kind::set_if, false, version == 0, when.invoked, when.returned, expected, version, version * 10};
}
Operation erase(Times when) { return {Kind::erase, false, false, when.invoked, when.returned, 0, 0, 0}; }

bool passes(std::vector<Calls> workers) { return LinearizabilityChecker(std::move(workers)).passes(); }

TEST(LinearizabilityTest, CallsThatOverlapMayHaveComeInAnyOrder) {
  EXPECT_TRUE(passes({{set({0, 10}, 1)}, {set({0, 10}, 2)}, {get({11, 12}, 1)}}));
  EXPECT_TRUE(passes({{set({0, 10}, 1)}, {set({0, 10}, 2)}, {get({11, 12}, 2)}}));
  EXPECT_TRUE(passes({{set({0, 10}, 1)}, {get({1, 2}, 0), get({3, 4}, 1)}}));
  EXPECT_TRUE(passes({{set({0, 10}, 1), erase({20, 30})}, {get({21, 22}, 1), listed({23, 29}, false)}}));
}

TEST(LinearizabilityTest, AReadOfSomethingOldIsFound) {
  EXPECT_FALSE(passes({{set({0, 1}, 1), set({2, 3}, 2)}, {get({4, 5}, 1)}}));
  EXPECT_FALSE(passes({{set({0, 1}, 1)}, {get({2, 3}, 0)}}));
  EXPECT_FALSE(passes({{set({0, 1}, 1)}, {listed({2, 3}, false)}}));
  EXPECT_FALSE(passes({{set({0, 10}, 1)}, {get({1, 2}, 1), get({3, 4}, 0)}})) << "once seen, never unseen";
}

TEST(LinearizabilityTest, AReadOfSomethingThatNobodyWroteIsFound) {
  EXPECT_FALSE(passes({{get({0, 1}, 7)}}));
  auto mixed = get({2, 3}, 1);
  mixed.value = 20;
  EXPECT_FALSE(passes({{set({0, 1}, 1)}, {mixed}})) << "one write's version with another's value";
}

TEST(LinearizabilityTest, TwoWinnersUnderOneVersionAreFound) {
  EXPECT_FALSE(passes({{set({0, 1}, 1)}, {set_if({2, 9}, 1, 2)}, {set_if({2, 9}, 1, 3)}}));
  EXPECT_TRUE(passes({{set({0, 1}, 1)}, {set_if({2, 9}, 1, 2)}, {set_if({2, 9}, 1, 0)}}));
  EXPECT_FALSE(passes({{set({0, 1}, 1)}, {set_if({2, 3}, 1, 0)}})) << "nobody else was there to lose against";
}

TEST(LinearizabilityTest, WhatWasErasedDoesNotComeBack) {
  EXPECT_FALSE(passes({{set({0, 1}, 1), erase({2, 3})}, {get({4, 5}, 1)}}));
  EXPECT_TRUE(passes({{set({0, 1}, 1), erase({2, 6})}, {get({4, 5}, 1)}}));
}

TEST(LinearizabilityTest, ManyUnseenWritesAtOnceDoNotTakeLong) {
  std::vector<Calls> workers;
  for (std::uint64_t i = 1; i <= 12; ++i) workers.push_back({set({0, 100}, i), get({101, 102}, 7)});
  EXPECT_TRUE(passes(workers));
  workers.push_back({get({103, 104}, 8)});
  EXPECT_FALSE(passes(workers));
}

/// The definition itself, for histories that are small enough: some order of all calls.
bool some_order_fits(const std::vector<Calls>& workers) {
  std::vector<const Operation*> order;
  for (const auto& calls : workers) {
    for (const auto& call : calls) order.push_back(&call);
  }
  std::sort(order.begin(), order.end());
  do {
    // As one worker's calls at times of its own, so that only the answers count.
    Calls alone;
    bool keeps_time = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) keeps_time &= order[j]->returned >= order[i]->invoked;
      alone.push_back(*order[i]);
      alone.back().invoked = alone.back().returned = static_cast<std::int64_t>(i);
    }
    if (keeps_time && passes({alone})) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(LinearizabilityTest, AgreesWithItsDefinition) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Calls> workers(3);
    std::uint64_t version = 0;
    for (auto& calls : workers) {
      std::int64_t now = 0;
      for (int i = 0; i < 2; ++i) {
        const Times when{now + *rc::gen::inRange(1, 4), now + *rc::gen::inRange(4, 9)};
        now = when.returned;
        const auto seen = *rc::gen::inRange<std::uint64_t>(0, 4);
        switch (*rc::gen::inRange(0, 5)) {
          case 0: calls.push_back(set(when, ++version)); break;
          case 1: calls.push_back(set_if(when, seen, *rc::gen::element(true, false) ? ++version : 0)); break;
          case 2: calls.push_back(erase(when)); break;
          case 3: calls.push_back(listed(when, seen > 1)); break;
          default: calls.push_back(get(when, seen)); break;
        }
      }
    }
    const bool fits = some_order_fits(workers);
    RC_TAG(fits);
    RC_ASSERT(passes(workers) == fits);
  }));
}

}  // namespace
}  // namespace ctxmgr::testing
