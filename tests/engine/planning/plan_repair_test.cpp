#include "engine/planning/plan_repair.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace ctxmgr::engine {
namespace {

RepairItem item(const std::string& id, std::int64_t tokens,
                ProcessingStrategy strategy = ProcessingStrategy::rag_extract, double relevance = 0.5,
                Trust trust = Trust::untrusted) {
  RepairItem made;
  made.fallback.artifact_id = id;
  made.fallback.strategy = strategy;
  made.fallback.target_tokens = tokens / 2;
  made.full_tokens = tokens;
  made.header_tokens = 10;
  made.relevance = relevance;
  made.trust = trust;
  return made;
}

ArtifactDecision decide(const std::string& id, ProcessingStrategy strategy, int priority = 1, std::int64_t target = 0) {
  ArtifactDecision decision;
  decision.artifact_id = id;
  decision.strategy = strategy;
  decision.priority = priority;
  decision.target_tokens = target;
  return decision;
}

std::int64_t spent(const RepairedPlan& repaired) {
  std::int64_t tokens = 0;
  for (const auto& decision : repaired.plan.artifacts) {
    if (decision.target_tokens > 0) tokens += decision.target_tokens + 10;
  }
  return tokens;
}

TEST(PlanRepairTest, AnEmptyPlanBecomesTheDeterministicOne) {
  const auto repaired = repair_plan({}, {item("a", 100), item("b", 100)}, "query", 1'000);
  ASSERT_EQ(repaired.plan.artifacts.size(), 2U);
  EXPECT_EQ(repaired.plan.artifacts[0].strategy, ProcessingStrategy::rag_extract);
  EXPECT_EQ(repaired.plan.artifacts[0].target_tokens, 50);
  EXPECT_TRUE(repaired.changes.empty());
}

TEST(PlanRepairTest, UnknownAndRepeatedArtifactsAreDroppedAndSaid) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::include_full), decide("a", ProcessingStrategy::exclude),
                    decide("../../etc/passwd", ProcessingStrategy::include_full)};
  const auto repaired = repair_plan(plan, {item("a", 100)}, "query", 1'000);
  ASSERT_EQ(repaired.plan.artifacts.size(), 1U);
  EXPECT_EQ(repaired.plan.artifacts[0].strategy, ProcessingStrategy::include_full);
  EXPECT_EQ(repaired.changes.size(), 2U);
}

TEST(PlanRepairTest, PrioritiesBecomeDenseAndKeepTheirOrder) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::include_full, 900),
                    decide("b", ProcessingStrategy::include_full, 7)};
  const auto repaired = repair_plan(plan, {item("a", 10), item("b", 10)}, "query", 1'000);
  EXPECT_EQ(repaired.plan.artifacts[0].artifact_id, "b");
  EXPECT_EQ(repaired.plan.artifacts[0].priority, 1);
  EXPECT_EQ(repaired.plan.artifacts[1].priority, 2);
}

TEST(PlanRepairTest, WhatAPlanRanksAlikeStaysAlike) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::include_full, 4), decide("b", ProcessingStrategy::include_full, 4),
                    decide("c", ProcessingStrategy::include_full, 9)};
  const auto repaired = repair_plan(plan, {item("a", 10), item("b", 10), item("c", 10)}, "query", 1'000).plan.artifacts;
  EXPECT_EQ(repaired[0].priority, 1);
  EXPECT_EQ(repaired[1].priority, 1);
  EXPECT_EQ(repaired[2].priority, 2);
}

TEST(PlanRepairTest, FocusAndQueryDefaultToTheUsersQuery) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::summarize), decide("b", ProcessingStrategy::rag_extract)};
  const auto repaired = repair_plan(plan, {item("a", 5'000), item("b", 5'000)}, "who won?", 10'000);
  EXPECT_EQ(repaired.plan.artifacts[0].summarization_focus, "who won?");
  EXPECT_EQ(repaired.plan.artifacts[1].extraction_query, "who won?");
}

TEST(PlanRepairTest, AFullTextOverTheRoomIsLeftToTheAllocation) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::include_full)};
  const auto repaired = repair_plan(plan, {item("a", 5'000)}, "query", 1'000);
  EXPECT_TRUE(is_left_open(repaired.plan.artifacts[0]));
  EXPECT_EQ(repaired.changes.size(), 1U);
}

TEST(PlanRepairTest, WhatFindsNoRoomBesideItsBettersIsLeftToTheAllocation) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::include_full, 1), decide("b", ProcessingStrategy::include_full, 2)};
  const auto repaired = repair_plan(plan, {item("a", 980), item("b", 500)}, "query", 1'000);
  EXPECT_EQ(repaired.plan.artifacts[0].strategy, ProcessingStrategy::include_full);
  EXPECT_TRUE(is_left_open(repaired.plan.artifacts[1]));
}

TEST(PlanRepairTest, ALimitIsKeptAndIsNoMoreThanTheRoom) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::rag_extract, 1, 300),
                    decide("b", ProcessingStrategy::summarize, 2, 900)};
  const auto repaired = repair_plan(plan, {item("a", 5'000), item("b", 5'000)}, "query", 1'000);
  EXPECT_EQ(repaired.plan.artifacts[0].target_tokens, 300);
  EXPECT_EQ(repaired.plan.artifacts[1].target_tokens, 680);
  EXPECT_TRUE(repaired.changes.empty());
}

TEST(PlanRepairTest, APlanThatWasRepairedStaysAsItIs) {
  ArtifactPlan plan;
  plan.artifacts = {decide("b", ProcessingStrategy::include_full, 3),
                    decide("a", ProcessingStrategy::rag_extract, 3, 0), decide("c", ProcessingStrategy::summarize, 9)};
  const std::vector<RepairItem> items = {item("a", 900), item("b", 700), item("c", 5'000), item("d", 800)};
  const auto once = repair_plan(plan, items, "query", 1'000).plan;
  const auto twice = repair_plan(once, items, "query", 1'000).plan;
  ASSERT_EQ(once.artifacts.size(), twice.artifacts.size());
  for (std::size_t i = 0; i < once.artifacts.size(); ++i) {
    EXPECT_EQ(once.artifacts[i].artifact_id, twice.artifacts[i].artifact_id);
    EXPECT_EQ(once.artifacts[i].priority, twice.artifacts[i].priority);
    EXPECT_EQ(once.artifacts[i].strategy, twice.artifacts[i].strategy);
    EXPECT_EQ(once.artifacts[i].target_tokens, twice.artifacts[i].target_tokens);
  }
}

TEST(PlanRepairTest, ATargetOfTheWholeLengthIsTheWholeText) {
  ArtifactPlan plan;
  plan.artifacts = {decide("a", ProcessingStrategy::summarize, 1, 100)};
  const auto repaired = repair_plan(plan, {item("a", 100)}, "query", 1'000);
  EXPECT_EQ(repaired.plan.artifacts[0].strategy, ProcessingStrategy::include_full);
}

TEST(PlanRepairTest, OneUntrustedArtifactLeavesRoomForTrustedOnesOfTheSameRelevance) {
  ArtifactPlan plan;
  plan.artifacts = {decide("web page", ProcessingStrategy::include_full, 1),
                    decide("policy", ProcessingStrategy::include_full, 2)};
  const std::vector<RepairItem> items = {item("web page", 5'000),
                                         item("policy", 900, ProcessingStrategy::include_full, 0.5, Trust::trusted)};
  const auto repaired = repair_plan(plan, items, "query", 1'000);
  EXPECT_LE(repaired.plan.artifacts[0].target_tokens, 250);
  EXPECT_GE(repaired.plan.artifacts[1].target_tokens, 700);
}

TEST(PlanRepairTest, UntrustedArtifactsTogetherLeaveRoomForTrustedOnes) {
  ArtifactPlan plan;
  std::vector<RepairItem> items;
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    plan.artifacts.push_back(decide(id, ProcessingStrategy::include_full, 1));
    items.push_back(item(id, 5'000));
  }
  items.push_back(item("policy", 900, ProcessingStrategy::include_full, 0.5, Trust::trusted));
  const auto repaired = repair_plan(plan, items, "query", 1'000);
  std::int64_t untrusted = 0;
  for (const auto& decision : repaired.plan.artifacts) {
    if (decision.artifact_id != "policy" && !is_left_open(decision)) untrusted += decision.target_tokens + 10;
  }
  EXPECT_LE(untrusted, 600);
}

TEST(PlanRepairTest, UntrustedArtifactsMayTakeAllWhereNothingTrustedWantsIt) {
  ArtifactPlan plan;
  plan.artifacts = {decide("web page", ProcessingStrategy::include_full, 1)};
  EXPECT_EQ(repair_plan(plan, {item("web page", 900)}, "query", 1'000).plan.artifacts[0].strategy,
            ProcessingStrategy::include_full);
}

RC_GTEST_PROP(PlanRepairPropertyTest, WhateverThePlanSaysItFitsAndNamesEveryArtifactOnce, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 12);
  std::vector<RepairItem> items;
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back(item("id" + std::to_string(i), *rc::gen::inRange<std::int64_t>(0, 3'000),
                         static_cast<ProcessingStrategy>(*rc::gen::inRange(0, 4)), *rc::gen::inRange(0, 100) / 100.0,
                         *rc::gen::element(Trust::trusted, Trust::untrusted)));
  }
  ArtifactPlan plan;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    plan.artifacts.push_back(decide("id" + std::to_string(*rc::gen::inRange(0, 15)),
                                    static_cast<ProcessingStrategy>(*rc::gen::inRange(0, 4)),
                                    *rc::gen::arbitrary<int>(), *rc::gen::arbitrary<std::int64_t>()));
  }
  const auto budget = *rc::gen::inRange<std::int64_t>(-10, 6'000);
  const auto repaired = repair_plan(plan, items, "query", budget);
  RC_ASSERT(spent(repaired) <= std::max<std::int64_t>(0, budget));
  std::set<std::string> ids;
  for (const auto& decision : repaired.plan.artifacts) {
    ids.insert(decision.artifact_id);
    RC_ASSERT(decision.target_tokens >= 0);
  }
  RC_ASSERT(ids.size() == count);
  RC_ASSERT(repaired.plan.artifacts.size() == count);
}

}  // namespace
}  // namespace ctxmgr::engine
