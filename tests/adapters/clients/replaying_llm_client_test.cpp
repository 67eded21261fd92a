#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

TEST(ReplayingLlmClientTest, SaysWhichLineIsWrong) {
  const auto path = ::testing::TempDir() + "replay-" + std::to_string(getpid()) + ".jsonl";
  std::ofstream(path) << R"({"v":1,"request":{},"error":{"code":"denied"}})"
                      << "\n\nnonsense\n";
  const auto player = make_replaying_llm_client(path);
  std::remove(path.c_str());
  ASSERT_FALSE(player);
  EXPECT_EQ(player.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(player.error().message, ::testing::HasSubstr("line 3"));
}

TEST(ReplayingLlmClientTest, ADirectoryIsNoCassette) {
  EXPECT_EQ(make_replaying_llm_client("/").error().code, ErrorCode::invalid_argument);
}

TEST(ReplayingLlmClientTest, AnEmptyCassetteHoldsNothing) {
  const auto player = make_replaying_llm_client("/dev/null");
  ASSERT_TRUE(player);
  EXPECT_EQ((*player)->complete({}, {}).error().code, ErrorCode::not_found);
}

/// Two agents in turns, at an hour of its own; what they said.
std::string run_workflow(LlmClient& client, std::chrono::hours hour) {
  WorkflowOptions options;
  options.workflow_id = "report";
  options.store = make_memory_conversation_store();
  auto workflow = Workflow::open(options).value();
  std::string said;
  for (const char* const agent : {"reader", "writer", "reader"}) {
    AgentTurn turn;
    turn.agent = agent;
    turn.messages = {{Role::user, "What does the ledger say?"}};
    turn.messages[0].created_at = Timestamp(hour);
    turn.request.models = ModelConfig::from_request("gpt-4o");
    const auto replies = workflow.run(client, {turn});
    said += replies[0] ? text_of(replies[0]->response.message) + "\n" : replies[0].error().message;
  }
  return said;
}

TEST(ReplayingLlmClientTest, AWholeWorkflowRunReplays) {
  const auto path = ::testing::TempDir() + "workflow-" + std::to_string(getpid()) + ".jsonl";
  const auto script = std::make_shared<testing::ScriptedLlmClient>();
  script->then_reply("Nine entries.").then_reply("A draft.").then_reply("It is right.");
  {
    const auto recorder = make_recording_llm_client(script, path);
    EXPECT_EQ(run_workflow(**recorder, std::chrono::hours(1)), "Nine entries.\nA draft.\nIt is right.\n");
  }
  const auto player = make_replaying_llm_client(path);
  std::remove(path.c_str());
  ASSERT_TRUE(player);
  EXPECT_EQ(run_workflow(**player, std::chrono::hours(99)), "Nine entries.\nA draft.\nIt is right.\n");
}

}  // namespace
}  // namespace ctxmgr
