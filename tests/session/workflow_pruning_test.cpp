#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <thread>

#include "ctxmgr/session/workflow.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"
#include "session/thread_fixture.hpp"
#include "session/thread_view.hpp"
#include "support/forwarding_conversation_store.hpp"

namespace ctxmgr {
namespace {

using session::says;
using session::sums_up;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Somebody else's work comes between.
class OvertakenStore final : public testing::ForwardingConversationStore {
 public:
  Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    if (before_append) std::exchange(before_append, nullptr)(*inner_);
    return ForwardingConversationStore::append(id, messages, options, call);
  }

  std::function<void(ConversationStore&)> before_append;
};

class WorkflowPruningTest : public ::testing::Test {
 protected:
  WorkflowPruningTest() {
    std::vector<ConversationMessage> rows;
    for (int i = 0; i < 60; ++i) {
      rows.push_back(says(Role::user, "question " + std::to_string(i) + std::string(300, 'q')));
      rows.push_back(says(Role::assistant, "answer " + std::to_string(i) + std::string(300, 'a'), "a"));
    }
    rows.push_back(says(Role::user, "the last question"));
    EXPECT_TRUE(store_->append("w", rows, {}, {}));
  }

  Workflow workflow(std::optional<AutomaticPruning> automatic = {}) const {
    WorkflowOptions options;
    options.workflow_id = "w";
    options.store = store_;
    options.automatic_pruning = std::move(automatic);
    return *Workflow::open(std::move(options));
  }

  static PruneRequest request(std::int64_t budget = 6'000) {
    PruneRequest made;
    made.agent = "a";
    made.request.budget.max_input_tokens = budget;
    return made;
  }

  std::vector<ConversationMessage> rows() const { return *load_all(*store_, "w"); }

  /// Pairs of summaries of one agent that are both read and stand for a row in common.
  int overlaps() const {
    const auto all = rows();
    const session::Coverage coverage(all);
    int found = 0;
    for (const auto& a : all) {
      for (const auto& b : all) {
        if (!a.summary_of || !b.summary_of || a.agent != b.agent || a.sequence_number >= b.sequence_number) continue;
        const bool apart = a.summary_of->last < b.summary_of->first || b.summary_of->last < a.summary_of->first;
        found += !apart && coverage.is_active(a) && coverage.is_active(b) ? 1 : 0;
      }
    }
    return found;
  }

  std::shared_ptr<OvertakenStore> store_ = std::make_shared<OvertakenStore>();
};

TEST_F(WorkflowPruningTest, OneCallReachesTheTarget) {
  auto pruned = workflow();
  const auto report = pruned.prune(request());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->tokens_before, 6'000);
  EXPECT_LE(report->tokens_after, 3'600);
  EXPECT_GE(report->tokens_after, 2'700);
  EXPECT_EQ(pruned.prune(request())->summaries.last, 0);
}

TEST_F(WorkflowPruningTest, ItsThresholdsAreShares) {
  auto pruned = workflow();
  for (const double wrong : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    auto asked = request();
    asked.target_fill = wrong;
    EXPECT_EQ(pruned.prune(asked).error().code, ErrorCode::invalid_argument);
    asked = request();
    asked.at_fill = wrong;
    EXPECT_EQ(pruned.prune(asked).error().code, ErrorCode::invalid_argument);
  }
  auto history = request();
  history.request.history.target_fill = 1.5;
  EXPECT_EQ(pruned.prune(history).error().code, ErrorCode::invalid_argument);
}

TEST_F(WorkflowPruningTest, RowsThatComeMeanwhileDoNotStopIt) {
  testing::ScriptedLlmClient client;
  store_->before_append = [](ConversationStore& store) {
    ASSERT_TRUE(store.append("w", {says(Role::user, "meanwhile")}, {}, {}));
  };
  const auto report = workflow().prune(request());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->summaries.first, 123);
  EXPECT_EQ(text_of(rows()[121]), "meanwhile");
}

TEST_F(WorkflowPruningTest, OfTwoAtOnceTheLaterOneBeginsAnew) {
  store_->before_append = [](ConversationStore& store) {
    ASSERT_TRUE(store.append("w", {sums_up({3, 51}, "by somebody else"), sums_up({4, 40}, "of a", "a")}, {}, {}));
  };
  const auto report = workflow().prune(request());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->summaries.first, 123);
  EXPECT_EQ(overlaps(), 0);
}

using WorkflowPruningThreadsTest = WorkflowPruningTest;

TEST_F(WorkflowPruningThreadsTest, ManyPrunesAtOnceLeaveNoOverlap) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      auto own = workflow();
      for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(own.append({says(Role::assistant, std::string(2'000, 'x'), "a"), says(Role::user, "next")}));
        const auto report = own.prune(request(2'000 + 700 * t));
        EXPECT_TRUE(report || report.error().code == ErrorCode::conflict);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(overlaps(), 0);
}

TEST_F(WorkflowPruningTest, AWorkflowMayPruneByItselfAndSaysSo) {
  AgentTurn turn;
  turn.agent = "a";
  turn.messages = {{Role::user, "what now?"}};
  turn.request.budget.max_input_tokens = 6'000;
  EXPECT_EQ(workflow().context_for(turn)->last_sequence, 121) << "off by default";

  const auto context = workflow(AutomaticPruning{}).context_for(turn);
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_GT(context->last_sequence, 121);
  EXPECT_THAT(context->context.metadata.notes, Contains(HasSubstr("the thread was pruned first")));

  const auto stored = workflow().receipt(context->step_number);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->notes, context->context.metadata.notes) << "what is kept with the step is what was said";

  const auto again = workflow(AutomaticPruning{}).context_for(turn);
  EXPECT_EQ(again->last_sequence, context->last_sequence) << "nothing more to do";
  testing::ScriptedLlmClient client;
  client.then_reply("fine");
  auto workflow_of_run = workflow(AutomaticPruning{0.3, 0.2});
  const auto replies = workflow_of_run.run(client, {turn});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  EXPECT_THAT(replies[0]->metadata.context_utilization.notes, Contains(HasSubstr("the thread was pruned first")));
  const auto stored_of_run = workflow().receipt(replies[0]->step_number);
  ASSERT_TRUE(stored_of_run) << stored_of_run.error().message;
  EXPECT_EQ(stored_of_run->notes, replies[0]->metadata.context_utilization.notes);
}

TEST_F(WorkflowPruningTest, AfterAPruningTheThreadBeginsAnewAndSaysSoOnce) {
  AgentTurn turn;
  turn.agent = "a";
  turn.messages = {{Role::user, "what now?"}};
  turn.request.budget.max_input_tokens = 3'000;
  const auto begins_anew = [&turn](Workflow workflow) {
    const auto context = workflow.context_for(turn);
    EXPECT_TRUE(context) << context.error().message;
    const auto& notes = context->context.metadata.notes;
    return std::any_of(notes.begin(), notes.end(),
                       [](const std::string& note) { return note.find("begins anew") != std::string::npos; });
  };
  EXPECT_FALSE(begins_anew(workflow()));
  EXPECT_FALSE(begins_anew(workflow()));
  ASSERT_GT(workflow().prune(request(4'000))->rows_covered, 0U);
  EXPECT_TRUE(begins_anew(workflow()));
  EXPECT_FALSE(begins_anew(workflow())) << "the new state is of the thread as it is now";
}

}  // namespace
}  // namespace ctxmgr
