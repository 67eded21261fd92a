#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "support/scripted_models.hpp"

namespace ctxmgr {
namespace {

using testing::contains;

constexpr std::int64_t budget = 8'000;
constexpr int steps = 320;

/// An agent whose thread is far longer than what a context reads of it.
class WorkflowPreparationTest : public ::testing::Test {
 protected:
  struct Figures {
    int compactions = 0;
    int with_summary = 0;
    int beginnings = 0;  ///< How often contexts began to read at a later row.
    int told_at_beginnings = 0;
    int over = 0;
    std::size_t asked_by_builds = 0;
    std::size_t asked_ahead = 0;
  };

  WorkflowPreparationTest() {
    models_->plan = [](const auto&) { return testing::planner_reply(""); };
    models_->summarize = [](const std::string& text) {
      return "They read " + text.substr(text.find("file_"), 8) + " and found nothing.";
    };
    WorkflowOptions options;
    options.workflow_id = "w";
    options.store = make_memory_conversation_store();
    ContextManagerOptions manager;
    manager.client = testing::client_of(models_);
    options.manager = ContextManager(std::move(manager));
    workflow_ = Workflow::open(std::move(options)).value();
    turn_.agent = "a";
    turn_.request.budget.max_input_tokens = budget;
    turn_.request.planning.max_llm_calls = 0;
  }

  void act(int step) {
    const auto id = "c" + std::to_string(step);
    const auto file = "file_" + std::to_string(step + 100);
    auto call = testing::tool_call(id, "read");
    call.agent = "a";
    call.tool_calls[0].arguments_json = R"({"path":")" + file + "\"}";
    std::string text;
    const int lines = 12 + step * 7 % 13;
    for (int line = 0; line < lines; ++line)
      text += "Line " + std::to_string(line) + " of " + file + " says nothing.\n";
    auto result = testing::tool_result(id, text);
    result.agent = "a";
    // Where segments end depends on all of a row: the same in every run of the test.
    call.created_at = result.created_at = std::chrono::system_clock::time_point(std::chrono::hours(400'000 + step));
    ASSERT_TRUE(workflow_->append({std::move(call), std::move(result)}));
  }

  Figures replay(bool prepares) {
    Figures figures;
    EXPECT_TRUE(workflow_->append({{Role::user, "Mend the fees, one module after the other."}}));
    std::string read_from;
    for (int step = 0; step < steps; ++step) {
      act(step);
      const auto asked = models_->requests.size();
      const auto built = workflow_->context_for(turn_);
      EXPECT_TRUE(built) << built.error().message;
      if (!built) return figures;
      figures.asked_by_builds += models_->requests.size() - asked;
      const auto& receipt = built->context.metadata;
      const bool has_summary = contains(to_openai_json(built->context.messages), "summary of [");
      figures.over += receipt.input_tokens_used > budget ? 1 : 0;
      figures.compactions += receipt.compaction ? 1 : 0;
      figures.with_summary += receipt.compaction && has_summary ? 1 : 0;
      const auto note = std::find_if(receipt.notes.begin(), receipt.notes.end(),
                                     [](const std::string& text) { return contains(text, "were not read"); });
      const bool begins_later = note != receipt.notes.end() && *note != read_from;
      figures.beginnings += begins_later ? 1 : 0;
      figures.told_at_beginnings += begins_later && has_summary ? 1 : 0;
      if (note != receipt.notes.end()) read_from = *note;
      const auto ahead = models_->requests.size();
      if (prepares) {
        EXPECT_TRUE(workflow_->prepare_compaction(turn_));
      }
      figures.asked_ahead += models_->requests.size() - ahead;
    }
    return figures;
  }

  std::shared_ptr<testing::ScriptedModels> models_ = std::make_shared<testing::ScriptedModels>();
  std::optional<Workflow> workflow_;
  AgentTurn turn_;
};

TEST_F(WorkflowPreparationTest, SummariesAreFoundAgainWhereContextsBeginToReadLater) {
  const auto figures = replay(true);
  EXPECT_GT(figures.beginnings, 2);
  EXPECT_EQ(figures.told_at_beginnings, figures.beginnings);
  EXPECT_GT(figures.compactions, figures.beginnings);
  EXPECT_EQ(figures.with_summary, figures.compactions);
  EXPECT_EQ(figures.asked_by_builds, 0U);
  EXPECT_GT(figures.asked_ahead, 0U);
  EXPECT_EQ(figures.over, 0);
}

TEST_F(WorkflowPreparationTest, WithoutPreparationNoCompactionHasAny) {
  const auto figures = replay(false);
  EXPECT_GT(figures.compactions, 2);
  EXPECT_EQ(figures.with_summary, 0);
  EXPECT_TRUE(models_->requests.empty());
}

TEST_F(WorkflowPreparationTest, AThreadThatIsNotThereHasNothingToPrepare) {
  turn_.at_sequence = 5;
  const auto took = workflow_->prepare_compaction(turn_);
  ASSERT_FALSE(took);
  EXPECT_EQ(took.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr
