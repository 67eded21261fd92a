#include <gmock/gmock.h>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "session/thread_fixture.hpp"

namespace ctxmgr {
namespace {

using session::says;

TEST(WorkflowFaultsTest, AfterAChangeOfModelTheBudgetIsItsOwnAndOldStepsAreReplayedAsTheyWereSent) {
  ModelInfo small;
  small.model = "small-model";
  small.context_window_tokens = 2'000;
  small.max_output_tokens = 200;
  ContextManagerOptions manager;
  manager.catalog = ModelCatalog().with(small);
  WorkflowOptions options;
  options.workflow_id = "w";
  options.store = make_memory_conversation_store();
  options.manager = ContextManager(manager);
  auto workflow = *Workflow::open(options);
  for (int i = 0; i < 60; ++i)
    ASSERT_TRUE(workflow.append({says(i % 2 == 0 ? Role::user : Role::assistant, std::string(800, 'x'))}));
  AgentTurn turn;
  turn.agent = "a";
  turn.messages = {{Role::user, "and now?"}};
  turn.request.models = ModelConfig::from_request("gpt-4o");
  const auto large = workflow.context_for(turn);
  turn.request.models = ModelConfig::from_request("small-model");
  const auto narrow = workflow.context_for(turn);
  ASSERT_TRUE(large && narrow);
  EXPECT_GT(large->context.metadata.input_tokens_used, 2'000);
  EXPECT_EQ(narrow->context.metadata.model_name, "small-model");
  EXPECT_LE(narrow->context.metadata.input_tokens_used, 1'800);
  EXPECT_LT(narrow->context.messages.size(), large->context.messages.size());
  EXPECT_EQ(to_openai_json(*workflow.replay(large->step_number)), to_openai_json(large->context.messages));
  EXPECT_EQ(to_openai_json(*workflow.replay(narrow->step_number)), to_openai_json(narrow->context.messages));
}

}  // namespace
}  // namespace ctxmgr
