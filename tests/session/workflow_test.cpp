#include "ctxmgr/session/workflow.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"
#include "session/thread_fixture.hpp"
#include "support/forwarding_conversation_store.hpp"

namespace ctxmgr {
namespace {

using session::answers;
using session::calls;
using session::says;
using session::texts;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Counts what is read, to show what a context costs.
class CountingStore final : public testing::ForwardingConversationStore {
 public:
  Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options, const CallOptions& call) override {
    if (appends_to_fail-- > 0) return fail(ErrorCode::unavailable, "down");
    return ForwardingConversationStore::append(id, messages, options, call);
  }
  Result<std::vector<ConversationMessage>> load(std::string_view id, const MessageQuery& query,
                                                const CallOptions& call) override {
    auto page = ForwardingConversationStore::load(id, query, call);
    if (page) rows_read += page->size();
    return page;
  }

  std::atomic<std::size_t> rows_read = 0;
  std::atomic<int> appends_to_fail = 0;
};

class WorkflowTest : public ::testing::Test {
 protected:
  Workflow open(std::string id = "w", ContextManagerOptions manager = {}) const {
    WorkflowOptions options;
    options.manager = ContextManager(std::move(manager));
    options.workflow_id = std::move(id);
    options.store = store_;
    return *Workflow::open(std::move(options));
  }

  static AgentTurn turn(std::string agent, std::string input = "", std::int64_t budget = 8'000) {
    AgentTurn made;
    made.agent = std::move(agent);
    if (!input.empty()) made.messages = {{Role::user, std::move(input)}};
    made.request.budget.max_input_tokens = budget;
    return made;
  }

  static std::string sent_text(const LlmRequest& request) {
    std::string all;
    for (const auto& message : request.messages) all += text_of(message) + "\n";
    return all;
  }

  std::shared_ptr<CountingStore> store_ = std::make_shared<CountingStore>();
  Workflow workflow_ = open();
  testing::ScriptedLlmClient client_;
};

/// Keeps one message, says one thing, and counts.
class OneSentenceHook final : public CompactionHook {
 public:
  std::vector<std::size_t> before_compaction(const CompactionEvent& event) override {
    ++before;
    return event.history.size() > 4 ? std::vector<std::size_t>{3} : std::vector<std::size_t>{};
  }
  std::string after_compaction(const CompactionEvent&) override {
    ++after;
    return "The decisions stand in notes.md.";
  }

  int before = 0;
  int after = 0;
};

TEST_F(WorkflowTest, ACompactionHookIsAskedAndWhatItSaysIsInEveryLaterRequest) {
  for (const bool has_hook : {true, false}) {
    const auto hook = std::make_shared<OneSentenceHook>();
    ContextManagerOptions manager;
    if (has_hook) manager.compaction_hook = hook;
    const auto id = has_hook ? "with" : "without";
    ASSERT_TRUE(open(id).append({says(Role::user, "Mend the fees.")}));
    testing::ScriptedLlmClient client;
    constexpr int steps = 50;
    std::size_t said_from = steps;
    for (int step = 0; step < steps; ++step) {
      const auto call_id = "c" + std::to_string(step);
      std::string text = "RESULT_" + std::to_string(step) + " ";
      for (int line = 0; line < 30; ++line) text += "nothing of value in line " + std::to_string(line) + "\n";
      auto workflow = open(id, manager);  // A process of its own each time.
      ASSERT_TRUE(workflow.append({calls(call_id, "agent"), answers(call_id, text, "agent")}));
      client.then_reply("step " + std::to_string(step));
      const auto replies = workflow.run(client, {turn("agent", "", 6'000)});
      ASSERT_TRUE(replies[0]) << replies[0].error().message;
      const auto sent = sent_text(client.requests().back());
      const bool is_said = sent.find("The decisions stand in notes.md.") != std::string::npos;
      if (is_said) said_from = std::min(said_from, static_cast<std::size_t>(step));
      EXPECT_EQ(is_said, hook->after > 0) << "step " << step;
      if (step + 1 < steps) continue;
      EXPECT_EQ(sent.find("RESULT_0 nothing of value") != std::string::npos, has_hook) << "what the hook names stays";
    }
    EXPECT_EQ(hook->before, hook->after);
    EXPECT_EQ(hook->after > 1, has_hook);
    EXPECT_EQ(said_from < steps, has_hook);
  }
}

TEST_F(WorkflowTest, NeedsAnIdAndAStore) {
  EXPECT_EQ(Workflow::open({}).error().code, ErrorCode::invalid_argument);
  WorkflowOptions without_store;
  without_store.workflow_id = "w";
  EXPECT_EQ(Workflow::open(without_store).error().code, ErrorCode::invalid_argument);
}

TEST_F(WorkflowTest, ATurnSeesTheThreadAndAddsItsInputAndItsReply) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "the report")}));
  client_.then_reply("the analysis");
  auto orchestrator = turn("orchestrator", "analyse it");
  orchestrator.system_prompt = "You analyse.";
  orchestrator.reply_retention = Retention::pinned;
  const auto replies = workflow_.run(client_, {orchestrator});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  EXPECT_EQ(replies[0]->rows.first, 2);
  EXPECT_EQ(replies[0]->rows.last, 3);
  EXPECT_THAT(texts(client_.requests()[0].messages), ElementsAre("You analyse.", "the report", "analyse it"));
  EXPECT_EQ(client_.requests()[0].scope, workflow_.id());
  const auto rows = *workflow_.messages();
  EXPECT_THAT(texts(rows), ElementsAre("the report", "analyse it", "the analysis"));
  EXPECT_EQ(rows[2].agent, "orchestrator");
  EXPECT_EQ(rows[2].retention, Retention::pinned);
}

TEST_F(WorkflowTest, ParallelAgentsStartFromOnePointAndJoinInTheOrderOfTheirTurns) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "plan")}));
  client_.then_reply("one").then_fail({ErrorCode::unavailable, "down", {}}).then_reply("three");
  const auto replies = workflow_.run(client_, {turn("w1", "first"), turn("w2", "second"), turn("w3", "third")});
  EXPECT_TRUE(replies[0] && replies[2]);
  EXPECT_EQ(replies[1].error().code, ErrorCode::unavailable);
  EXPECT_THAT(texts(*workflow_.messages()), ElementsAre("plan", "first", "one", "third", "three"));
  for (const auto& request : client_.requests()) {
    EXPECT_EQ(sent_text(request).find("one"), std::string::npos) << "no agent sees what another does meanwhile";
  }
}

TEST_F(WorkflowTest, AContextThatTheServiceFindsTooLongIsBuiltOnceMoreWithFourFifths) {
  std::vector<ConversationMessage> rows;
  for (int i = 0; i < 200; ++i) rows.push_back(says(Role::user, "row " + std::to_string(i) + std::string(400, 'x')));
  ASSERT_TRUE(workflow_.append(rows));
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}}).then_reply("ok");
  const auto replies = workflow_.run(client_, {turn("a", "q", 4'000)});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  EXPECT_LE(sent_text(client_.requests()[1]).size(), sent_text(client_.requests()[0]).size() * 9 / 10);
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}});
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}});
  EXPECT_EQ(workflow_.run(client_, {turn("a", "q", 4'000)})[0].error().code, ErrorCode::context_length_exceeded);
  EXPECT_EQ(client_.requests().size(), 4U) << "once more, not for ever";
}

TEST_F(WorkflowTest, TheSecondTryHasFourFifthsOfWhatWasSentWithItsTools) {
  ASSERT_TRUE(workflow_.append(std::vector<ConversationMessage>(20, says(Role::user, std::string(400, 'x')))));
  auto with_tools = turn("a", "q", 50'000);
  with_tools.request.tools = {{"look", std::string(800, 'x'), {}, {}}};
  const auto first = workflow_.context_for(with_tools);
  ASSERT_TRUE(first) << first.error().message;
  const auto sent = first->context.metadata.input_tokens_used + first->context.metadata.tools_tokens;
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}}).then_reply("ok");
  const auto replies = workflow_.run(client_, {with_tools});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  const auto& built = replies[0]->metadata.context_utilization;
  EXPECT_EQ(built.messages_limit + built.tools_tokens, sent - sent / 5);
}

TEST_F(WorkflowTest, WhereNothingMoreCanBeTakenOutWhatTheServiceSaidStands) {
  auto with_tools = turn("a", "q", 1'000);
  with_tools.request.tools = {{"look", std::string(2'400, 'x'), {}, {}}};
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}}).then_reply("ok");
  EXPECT_EQ(workflow_.run(client_, {with_tools})[0].error().code, ErrorCode::context_length_exceeded);
  EXPECT_EQ(client_.requests().size(), 1U);
}

TEST_F(WorkflowTest, WhatWasTooLongIsNotSentAgain) {
  std::vector<ConversationMessage> rows;
  for (int i = 0; i < 20; ++i) rows.push_back(says(Role::user, "row " + std::to_string(i) + std::string(400, 'x')));
  ASSERT_TRUE(workflow_.append(rows));
  client_.then_fail({ErrorCode::context_length_exceeded, "too long", {}}).then_reply("ok");
  const auto replies = workflow_.run(client_, {turn("a", "q", 100'000)});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  EXPECT_LE(sent_text(client_.requests()[1]).size(), sent_text(client_.requests()[0]).size() * 9 / 10);
}

TEST_F(WorkflowTest, AReplySaysWhatTheCallUsedAndCost) {
  LlmResponse answer;
  answer.message = {Role::assistant, "ok"};
  answer.usage.prompt_tokens = 1'000'000;
  client_.then_reply(answer);
  auto asking = turn("a", "q");
  asking.request.models.primary = "gpt-4o-mini";
  const auto replies = workflow_.run(client_, {asking});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  const auto& metadata = replies[0]->metadata;
  EXPECT_EQ(metadata.model, "gpt-4o-mini");
  EXPECT_EQ(metadata.usage.prompt_tokens, 1'000'000);
  EXPECT_EQ(metadata.usage.calls, 1) << "a reply is a call, whatever the client says";
  EXPECT_NEAR(metadata.total_cost_usd, 0.15, 0.001);
  EXPECT_GT(metadata.context_utilization.input_tokens_used, 0);
}

TEST_F(WorkflowTest, APastStepIsExplainedFromTheStoreAlone) {
  auto asking = turn("a", "Where is the zebra?", 1'000);
  asking.artifacts = {make_document("zoo", std::string(40'000, 'z'))};
  const auto sent = workflow_.context_for(asking);
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_TRUE(workflow_.append({says(Role::user, "later")}));
  const auto receipt = open().receipt(sent->step_number);
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_EQ(explain(*receipt), explain(sent->context.metadata));
  EXPECT_EQ(workflow_.receipt(7).error().code, ErrorCode::not_found);
}

TEST_F(WorkflowTest, DataOfATurnIsSentWithItAndIsNoRow) {
  for (int i = 0; i < 10; ++i) {
    client_.then_reply("ok");
    auto asking = turn("a", "question " + std::to_string(i));
    asking.data = "the clock says " + std::to_string(i);
    const auto replies = workflow_.run(client_, {asking});
    ASSERT_TRUE(replies[0]) << replies[0].error().message;
    const auto sent = client_.requests().back().messages;
    ASSERT_GE(sent.size(), 2U);
    EXPECT_EQ(text_of(sent[sent.size() - 2]), "the clock says " + std::to_string(i));
    EXPECT_EQ(text_of(sent.back()), "question " + std::to_string(i));
    EXPECT_EQ(to_openai_json(*workflow_.replay(replies[0]->step_number)), to_openai_json(sent));
    for (const auto& note : replies[0]->metadata.context_utilization.notes)
      EXPECT_THAT(note, Not(HasSubstr("begins anew")));
  }
  EXPECT_EQ(sent_text(client_.requests().back()).find("the clock says 8"), std::string::npos);
  const auto rows = workflow_.messages();
  ASSERT_TRUE(rows);
  for (const auto& row : *rows) EXPECT_THAT(text_of(row), Not(HasSubstr("clock")));
}

TEST_F(WorkflowTest, DataOfATurnCountsWithinItsBudget) {
  auto asking = turn("a", "question", 400);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(workflow_.append({says(Role::user, "row number " + std::to_string(i))}));
  for (std::size_t size = 0; size < 1'200; size += 300) {
    asking.data = size == 0 ? "" : std::string(size, 'x');
    const auto sent = workflow_.context_for(asking);
    ASSERT_TRUE(sent) << sent.error().message;
    EXPECT_LE(count_messages(*make_approximate_token_counter(), sent->context.messages), 400) << size;
  }
}

TEST_F(WorkflowTest, AStepWithoutAReceiptSaysSo) {
  SentContext old;
  old.messages = {{0, R"({"role":"user","content":"hello"})"}};
  const auto step = store_->record_step(workflow_.id(), old, {});
  ASSERT_TRUE(step);
  EXPECT_TRUE(workflow_.replay(*step));
  EXPECT_EQ(workflow_.receipt(*step).error().code, ErrorCode::not_found);
}

TEST_F(WorkflowTest, WithoutItsThreadNoTurnIsRun) {
  CallOptions cancelled;
  cancelled.cancellation = CancellationToken([] { return true; });
  const auto replies = workflow_.run(client_, {turn("a", "q"), turn("b", "q")}, cancelled);
  ASSERT_EQ(replies.size(), 2U);
  for (const auto& reply : replies) EXPECT_EQ(reply.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(client_.requests().empty());
}

TEST_F(WorkflowTest, AReplyThatCannotBeStoredIsNotLost) {
  client_.then_reply("precious").then_reply("stored at the second try");
  store_->appends_to_fail = 2;
  const auto lost = workflow_.run(client_, {turn("a", "q")});
  ASSERT_TRUE(lost[0]);
  EXPECT_EQ(text_of(lost[0]->response.message), "precious");
  EXPECT_EQ(lost[0]->append_error->code, ErrorCode::unavailable);
  store_->appends_to_fail = 1;
  EXPECT_FALSE(workflow_.run(client_, {turn("a", "q")})[0]->append_error);
}

TEST_F(WorkflowTest, AFollowUpUsesTheToolResultsOfAnEarlierTurn) {
  ReasoningStepRecord step;
  step.tool_predictions = {{"ledger", R"({"year":2026})", "facts"}};
  step.tool_results = {{"ledger", true, "Invoice 4711 was paid twice, by mistake of the clerk.", "", {}}};
  auto first = turn("analyst", "What did the audit find?");
  first.step_records = {step};
  client_.then_reply("A double payment.").then_reply("Invoice 4711.");
  ASSERT_TRUE(workflow_.run(client_, {first})[0]);
  ASSERT_TRUE(open().run(client_, {turn("analyst", "Which invoice was it?")})[0]);
  EXPECT_THAT(sent_text(client_.requests()[1]), HasSubstr("Invoice 4711 was paid twice"));
}

TEST_F(WorkflowTest, AToolLoopGoesOnThroughTheThread) {
  LlmResponse wants_tool;
  wants_tool.message = calls("c1");
  client_.then_reply(wants_tool).then_reply("done");
  ASSERT_TRUE(workflow_.run(client_, {turn("a", "look it up")})[0]);
  ASSERT_TRUE(workflow_.append({says(Role::assistant, "meanwhile", "b")}));
  auto next = turn("a");
  next.messages = {answers("c1", "the result", "a")};
  const auto replies = workflow_.run(client_, {next});
  ASSERT_TRUE(replies[0]) << replies[0].error().message;
  EXPECT_THAT(texts(client_.requests()[1].messages), ElementsAre("look it up", "calling", "the result", "meanwhile"));
}

TEST_F(WorkflowTest, CallsThatRepeatTheirIdsAreNeverRefused) {
  for (const char* model : {"gpt-4o", "claude-sonnet-4-5", ""}) {
    auto workflow = open(std::string("w") + model);
    for (int i = 0; i < 6; ++i) {
      LlmResponse wants_tool;
      wants_tool.message = calls("functions.search:0");
      client_.then_reply(wants_tool);
      auto next = turn("a", i == 0 ? "look it up" : "");
      next.request.models.primary = model;
      if (i > 0) next.messages = {answers("functions.search:0", "result " + std::to_string(i))};
      const auto replies = workflow.run(client_, {next});
      ASSERT_TRUE(replies[0]) << replies[0].error().message;
      EXPECT_THAT(sent_text(client_.requests().back()), Not(HasSubstr("interrupted")));
    }
  }
}

TEST_F(WorkflowTest, AgentsWithTheSameIdsWorkSideBySide) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "weather and salary")}));
  for (int i = 0; i < 2; ++i) {
    LlmResponse wants_tool;
    wants_tool.message = calls("call_0");
    client_.then_reply(wants_tool);
  }
  for (const auto& reply : workflow_.run(client_, {turn("a", "weather?"), turn("b", "salary?")})) ASSERT_TRUE(reply);
  auto a = turn("a");
  auto b = turn("b");
  a.messages = {answers("call_0", "sunny")};
  b.messages = {answers("call_0", "4 000")};
  client_.then_reply("it is sunny").then_reply("it is 4 000");
  for (const auto& reply : workflow_.run(client_, {a, b})) ASSERT_TRUE(reply) << reply.error().message;
  const auto& requests = client_.requests();
  const auto own_result = [](const LlmRequest& request) {
    std::string found;
    for (const auto& message : request.messages) found += message.role == Role::tool ? text_of(message) : "";
    return found;
  };
  EXPECT_EQ(own_result(requests[2]), "sunny");
  EXPECT_EQ(own_result(requests[3]), "4 000");
  const auto later = workflow_.context_for(turn("c", "and?"));
  ASSERT_TRUE(later);
  const auto& sent = later->context.messages;
  for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
    if (!sent[i].tool_calls.empty()) {
      EXPECT_EQ(text_of(sent[i + 1]), sent[i].agent == "a" ? "sunny" : "4 000");
    }
  }
}

TEST_F(WorkflowTest, AHostThatDiedBetweenCallAndResultGoesOn) {
  LlmResponse wants_tool;
  wants_tool.message = calls("c1");
  client_.then_reply(wants_tool).then_reply("hello").then_reply("hello again");
  ASSERT_TRUE(workflow_.run(client_, {turn("a", "look it up")})[0]);
  for (const char* text : {"are you there?", "still?"}) {
    auto next = turn("a", text);
    const auto replies = workflow_.run(client_, {next});
    ASSERT_TRUE(replies[0]) << replies[0].error().message;
    EXPECT_THAT(sent_text(client_.requests().back()), HasSubstr("no result: interrupted"));
  }
}

TEST_F(WorkflowTest, EveryStepIsReplayedByteForByteBeforeAndAfterPruning) {
  std::vector<std::string> sent;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(workflow_.append(std::vector<ConversationMessage>(
        10,
        says(Role::assistant, "thought " + std::to_string(i) + std::string(500, 'x'), "a", Retention::summarizable))));
    const auto context = workflow_.context_for(turn("a", "question " + std::to_string(i), 3'000));
    ASSERT_TRUE(context) << context.error().message;
    EXPECT_EQ(context->step_number, i + 1);
    sent.push_back(to_openai_json(context->context.messages));
    PruneRequest request;
    request.request.budget.max_input_tokens = 2'000;
    ASSERT_TRUE(workflow_.prune(request));
  }
  const Workflow again = open();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(to_openai_json(*again.replay(static_cast<std::int64_t>(i) + 1)), sent[i]);
  }
  EXPECT_EQ(again.replay(7).error().code, ErrorCode::not_found);
}

TEST_F(WorkflowTest, PruningMakesTheThreadFitAndLosesNoRow) {
  ASSERT_TRUE(workflow_.append(
      {says(Role::system, "for all"), says(Role::assistant, "the extraction", "a", Retention::pinned)}));
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(workflow_.append({says(Role::assistant, "step " + std::to_string(i) + ". " + std::string(600, 'y'), "a",
                                       Retention::summarizable)}));
  }
  ASSERT_TRUE(workflow_.append({says(Role::user, "the question")}));
  PruneRequest request;
  request.request.budget.max_input_tokens = 2'000;
  const auto report = workflow_.prune(request);
  ASSERT_TRUE(report);
  EXPECT_GT(report->tokens_before, 2'000);
  EXPECT_LE(report->tokens_after, 2'000);
  EXPECT_GT(report->rows_covered, 20U);
  EXPECT_EQ(workflow_.messages()->size(), 43U + static_cast<std::size_t>(report->summaries.last - 42 - 1));
  const auto context = workflow_.context_for(turn("a", "", 2'000));
  ASSERT_TRUE(context) << context.error().message;
  const auto seen = texts(context->context.messages);
  EXPECT_THAT(seen, Contains("for all"));
  EXPECT_THAT(seen, Contains("the extraction"));
  EXPECT_THAT(seen, Contains("the question"));
  EXPECT_THAT(seen, Contains(HasSubstr("[Summary of messages 3")));
  const auto again = workflow_.prune(request);
  EXPECT_EQ(again->summaries.last, 0) << "nothing to do a second time";
}

TEST_F(WorkflowTest, WithoutAFocusASummaryIsAboutTheQuestionInItsContext) {
  const auto asked_about = [this](const std::string& id, const std::string& focus) {
    auto workflow = open(id);
    EXPECT_TRUE(workflow.append(std::vector<ConversationMessage>(20, says(Role::assistant, std::string(600, 'y')))));
    EXPECT_TRUE(workflow.append({says(Role::user, "What does berth four cost?"), says(Role::user, "And five?")}));
    PruneRequest request;
    request.request.query = focus;
    request.request.budget.max_input_tokens = 1'000;
    request.request.models.summarizer = "small";
    testing::ScriptedLlmClient client;
    client.then_reply("no").then_reply("no");
    EXPECT_TRUE(workflow.prune(request, &client));
    return client.requests().empty() ? "nothing asked" : sent_text(client.requests()[0]);
  };
  EXPECT_THAT(asked_about("none", ""),
              HasSubstr("It matters what it says about: And five? What does berth four cost?"));
  EXPECT_THAT(asked_about("given", "the harbour"), HasSubstr("It matters what it says about: the harbour"));
}

TEST_F(WorkflowTest, TheManagersObserverHearsOfItsModelCalls) {
  std::vector<std::string> heard;
  ContextManagerOptions manager;
  manager.observer = make_observer([&](const Event& event) {
    if (event.kind != EventKind::llm_call) return;
    const auto field = [&](std::size_t i) { return std::string(std::get<std::string_view>(event.fields[i].value)); };
    heard.push_back(std::string(event.scope) + " " + field(0) + " " + field(1) + " " + field(4));
  });
  auto workflow = open("w", manager);
  auto question = turn("a", "q");
  question.request.models = ModelConfig::from_request("gpt-4o");
  client_.then_reply("answer").then_fail({ErrorCode::denied, "no", {}});
  ASSERT_TRUE(workflow.run(client_, {question})[0]);
  EXPECT_FALSE(workflow.run(client_, {question})[0]);
  ASSERT_TRUE(workflow.append(std::vector<ConversationMessage>(20, says(Role::assistant, std::string(600, 'y')))));
  PruneRequest request;
  request.request.budget.max_input_tokens = 1'000;
  request.request.models.summarizer = "small";
  ASSERT_TRUE(workflow.append({says(Role::user, "next")}));
  ASSERT_TRUE(workflow.prune(request, &client_));
  EXPECT_THAT(heard, ElementsAre("w host gpt-4o ", "w host gpt-4o denied", "w summarization small unavailable"));
}

TEST_F(WorkflowTest, AThreadOfAHundredThousandMessagesCostsWhatIsLookedAt) {
  std::vector<ConversationMessage> rows(100'000, says(Role::user, "a message of some forty characters, more or less"));
  rows[5] = says(Role::system, "instructions");
  rows[50'000] = says(Role::assistant, "the extraction", "a", Retention::pinned);
  ASSERT_TRUE(workflow_.append(rows));
  store_->rows_read = 0;
  const auto context = workflow_.context_for(turn("a", "question", 4'000));
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_LT(store_->rows_read, 1'500U);
  const auto seen = texts(context->context.messages);
  EXPECT_THAT(seen, Contains("instructions"));
  EXPECT_THAT(seen, Contains("the extraction"));
}

TEST_F(WorkflowTest, ForksAtAStepWithAnEditedMessage) {
  client_.then_reply("draft").then_reply("better draft");
  ASSERT_TRUE(workflow_.append({says(Role::user, "the report")}));
  const auto first = workflow_.run(client_, {turn("writer", "write")});
  ASSERT_TRUE(first[0]);
  ForkRequest request;
  request.workflow_id = "w/2";
  request.at_step = first[0]->step_number;
  auto forked = workflow_.fork(request);
  ASSERT_TRUE(forked) << forked.error().message;
  ASSERT_TRUE(forked->run(client_, {turn("writer", "write, but shorter")})[0]);
  EXPECT_THAT(texts(*forked->messages()), ElementsAre("the report", "write, but shorter", "better draft"));
  EXPECT_THAT(texts(*workflow_.messages()), ElementsAre("the report", "write", "draft"));
  const auto taken = workflow_.fork(request);
  EXPECT_EQ(taken.error().code, ErrorCode::conflict);
  EXPECT_EQ(taken.error().message, "there is a workflow of that id");
}

TEST_F(WorkflowTest, ArchivedIsReadOnlyAndErasedIsGone) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "hello")}));
  ASSERT_TRUE(workflow_.context_for(turn("a", "q")));
  ASSERT_TRUE(workflow_.archive());
  EXPECT_EQ(workflow_.append({says(Role::user, "more")}).error().code, ErrorCode::denied);
  EXPECT_TRUE(workflow_.replay(1));
  ASSERT_TRUE(workflow_.restore());
  EXPECT_TRUE(workflow_.append({says(Role::user, "more")}));
  ASSERT_TRUE(workflow_.erase());
  EXPECT_EQ(workflow_.info()->last_sequence, 0);
  EXPECT_EQ(workflow_.replay(1).error().code, ErrorCode::not_found);
}

TEST_F(WorkflowTest, AnotherProcessFindsTheThreadStateInTheNewestSteps) {
  std::vector<ConversationMessage> talk;
  for (int i = 0; i < 50; ++i) {
    talk.push_back(says(Role::user, std::to_string(i) + std::string(300, 'x')));
    talk.push_back(says(Role::assistant, std::to_string(i) + std::string(300, 'y')));
  }
  ASSERT_TRUE(workflow_.append(talk));
  ASSERT_TRUE(workflow_.context_for(turn("a", "q", 3'000)));  // A request of its own; the next begins what grows.
  ASSERT_TRUE(workflow_.context_for(turn("a", "q", 3'000)));
  const auto kept = open().context_for(turn("a", "q", 3'000));
  ASSERT_TRUE(kept);
  EXPECT_GT(kept->context.metadata.prefix_tokens_kept, 0);
}

TEST_F(WorkflowTest, ARestartedProcessGoesOnWithEqualBytes) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "Find out why the scheduler drops jobs.")}));
  for (int i = 0; i < 30; ++i) {
    std::string text = "Row " + std::to_string(i) + " of the log";
    for (int word = 0; word < 60; ++word) text += " item" + std::to_string(i * 61 + word);
    ASSERT_TRUE(workflow_.append({says(Role::assistant, text), says(Role::user, "And " + text + "?")}));
    const auto kept = workflow_.context_for(turn("a", "", 1'500));
    ASSERT_TRUE(kept) << kept.error().message;
    if (i % 7 != 6) continue;
    ASSERT_TRUE(workflow_.append({says(Role::assistant, "Restarting soon.")}));
    Workflow restarted = open();
    const auto again = restarted.context_for(turn("a", "", 1'500));
    const auto same = workflow_.context_for(turn("a", "", 1'500));
    ASSERT_TRUE(again && same);
    EXPECT_EQ(to_openai_json(again->context.messages), to_openai_json(same->context.messages)) << i;
    EXPECT_EQ(again->context.thread_state.opaque, same->context.thread_state.opaque) << i;
    EXPECT_GT(again->context.metadata.prefix_tokens_kept, 0) << i;
  }
}

TEST_F(WorkflowTest, TheTaskOfALongLoopIsThereAlthoughItsRowsAreNotRead) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "Find out why the scheduler drops jobs.")}));
  for (int i = 0; i < 60; ++i) {
    const auto id = "c" + std::to_string(i);
    ASSERT_TRUE(workflow_.append({calls(id), answers(id, std::string(900, static_cast<char>('a' + i % 26)))}));
  }
  const auto built = workflow_.context_for(turn("a", "", 1'500));
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(texts(built->context.messages), Contains(HasSubstr("why the scheduler drops jobs")));
}

using WorkflowThreadsTest = WorkflowTest;

TEST_F(WorkflowThreadsTest, AppendPruneAndReplayAtTheSameTime) {
  ASSERT_TRUE(workflow_.append({says(Role::user, "start")}));
  const auto first = workflow_.context_for(turn("a", "q", 2'000));
  ASSERT_TRUE(first) << first.error().message;
  const std::string sent = to_openai_json(first->context.messages);
  std::vector<std::thread> workers;
  for (int t = 0; t < 3; ++t) {
    workers.emplace_back([this, t] {
      for (int i = 0; i < 30; ++i) {
        EXPECT_TRUE(workflow_.append({says(Role::assistant, std::to_string(i) + std::string(300, 'z'),
                                           std::to_string(t), Retention::summarizable)}));
      }
    });
  }
  workers.emplace_back([this] {
    PruneRequest request;
    request.request.budget.max_input_tokens = 1'000;
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(workflow_.prune(request));
  });
  workers.emplace_back([&] {
    for (int i = 0; i < 30; ++i) EXPECT_EQ(to_openai_json(*workflow_.replay(1)), sent);
  });
  workers.emplace_back([&] {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(workflow_.context_for(turn("b", "q", 2'000)));
  });
  for (auto& worker : workers) worker.join();
  const auto rows = *load_all(*store_, "w");
  std::size_t raw = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].sequence_number, static_cast<std::int64_t>(i) + 1);
    raw += rows[i].summary_of ? 0 : 1;
  }
  EXPECT_EQ(raw, 91U);
}

}  // namespace
}  // namespace ctxmgr
