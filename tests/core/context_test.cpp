#include "ctxmgr/core/context.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

std::vector<std::string> ids_of(const Context& context) {
  std::vector<std::string> ids;
  for (const Artifact& artifact : context.all_artifacts()) ids.push_back(artifact.artifact_id);
  return ids;
}

Context sample_context() {
  const ReasoningStepRecord step{0, "", {}, {{"f", true, "r", "", {}}}, {}};
  Context context;
  context.step_records = {step};
  context.conversation_history = {{Role::assistant, "a"}, {Role::user, "q"}};
  context.conversation_history[0].reasoning_steps = {step};
  context.artifacts = {make_document("d.md", "text")};
  return context;
}

using Ids = std::vector<std::string>;

TEST(ContextTest, AllArtifactsAreCurrentThenHistoricalThenAttached) {
  EXPECT_EQ(ids_of(sample_context()), (Ids{"step_0_tool_0_f", "msg_0_step_0_tool_0_f", "doc_d.md"}));
  EXPECT_TRUE(Context{}.all_artifacts().empty());
}

TEST(ContextTest, OlderMessagesThanAskedForGiveNoArtifacts) {
  Context context = sample_context();
  context.max_historical_messages = 1;
  EXPECT_EQ(ids_of(context), (Ids{"step_0_tool_0_f", "doc_d.md"}));
  context.max_historical_messages = 0;
  EXPECT_EQ(ids_of(context).size(), 2U);
}

TEST(ContextTest, TheHostsIdsStandAndRepeatedOnesAreNumbered) {
  Context context = sample_context();
  context.artifacts[0].artifact_id = "step_0_tool_0_f";
  context.artifacts.push_back(context.artifacts[0]);
  EXPECT_EQ(ids_of(context),
            (Ids{"step_0_tool_0_f_2", "msg_0_step_0_tool_0_f", "step_0_tool_0_f", "step_0_tool_0_f_3"}));
}

}  // namespace
}  // namespace ctxmgr
