#include "engine/build/gather.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::tool_call;
using testing::tool_result;

ModelInfo model_of(const char* provider) {
  ModelInfo model;
  model.provider = provider;
  return model;
}

class GatherTest : public ::testing::Test {
 protected:
  Result<Gathered> gathered(const std::string& query = "") {
    EXPECT_TRUE(thread_.extend(context_.conversation_history, *counter_));
    return gather(context_, thread_, query);
  }
  void step(const std::string& result) {
    ReasoningStepRecord record;
    record.step_index = static_cast<int>(context_.step_records.size());
    record.tool_results.push_back({"search", true, result});
    context_.step_records.push_back(record);
  }

  Context context_;
  ThreadAnalysis thread_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(GatherTest, AttachedHistoricalAndCurrentArtifactsInThisOrder) {
  context_.conversation_history = {{Role::user, "one"}, {Role::assistant, "done"}, {Role::user, "two"}};
  ReasoningStepRecord record;
  record.tool_results.push_back({"search", true, "old result"});
  context_.conversation_history[1].reasoning_steps.push_back(record);
  context_.artifacts.push_back(make_document("doc", "attached"));
  step("new result");
  const auto all = gathered();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->items.size(), 3U);
  EXPECT_EQ(all->items[0].artifact->content, "attached");
  EXPECT_EQ(all->items[1].artifact->content, "old result");
  EXPECT_TRUE(all->items[1].historical);
  EXPECT_EQ(all->items[2].kind, ItemKind::step_result);
}

TEST_F(GatherTest, AResultThatIsAMessageOfThisTurnIsInline) {
  context_.conversation_history = {{Role::user, "find"}, tool_call("a"), tool_result("a", "in the drawer")};
  step("in the drawer");
  step("elsewhere");
  const auto all = gathered();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->inline_items.size(), 1U);
  EXPECT_EQ(all->inline_items[0].message, 2U);
  EXPECT_EQ(all->items.size(), 1U);
}

TEST_F(GatherTest, NothingIsGatheredOfNothing) {
  const auto all = gathered();
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->items.empty() && all->inline_items.empty() && all->query.empty());
  EXPECT_FALSE(all->question || all->last_word);
  EXPECT_TRUE(hints_of(context_, *all, 0).empty());
  EXPECT_TRUE(fingerprints({}).empty());
}

TEST_F(GatherTest, OfTwoMessagesThatSayTheSameTheNewerIsTheResult) {
  context_.conversation_history = {{Role::user, "find"},
                                   tool_call("a"),
                                   tool_result("a", "in the drawer"),
                                   tool_call("b"),
                                   tool_result("b", "in the drawer")};
  step("in the drawer");
  const auto all = gathered();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->inline_items.size(), 1U);
  EXPECT_EQ(all->inline_items[0].message, 4U);
}

TEST_F(GatherTest, TheQueryIsTheLastUserMessageUnlessGiven) {
  context_.conversation_history = {{Role::user, "one"}, {Role::user, "two"}, {Role::assistant, "yes"}};
  EXPECT_EQ(gathered()->query, "two");
  EXPECT_EQ(gathered()->question, 1U);
  EXPECT_EQ(gathered("mine")->query, "mine");
}

TEST_F(GatherTest, TheLastTurnsHintAtWhatIsMeant) {
  context_.conversation_history = {
      {Role::system, "rules"},           {Role::user, "one"}, {Role::assistant, "yes"},  tool_call("a"),
      tool_result("a", "in the drawer"), {Role::user, "two"}, {Role::assistant, "later"}};
  const auto hints = [this](const std::string& query, std::size_t end) {
    return hints_of(context_, *gathered(query), end);
  };
  const std::string call = render_message(context_.conversation_history[3]);
  EXPECT_EQ(hints("", 6), (std::vector<std::string>{call, "assistant: yes", "user: one"}));
  EXPECT_EQ(hints("", 99).front(), "assistant: later");
  EXPECT_EQ(hints("mine", 6).front(), "user: two");
}

TEST_F(GatherTest, SmallTalkLeavesWhatWasSearchedFor) {
  context_.conversation_history = {{Role::user, "What does the ferry to Skye cost?"},
                                   {Role::assistant, "12.50."},
                                   {Role::user, "Ok, great!"},
                                   {Role::assistant, "You are welcome."},
                                   {Role::user, "Thanks, that helps."}};
  EXPECT_EQ(gathered()->query, "Thanks, that helps.");
  EXPECT_EQ(gathered()->searched, "What does the ferry to Skye cost?");
  EXPECT_EQ(gathered("mine")->searched, "mine") << "the host says what it is about";
}

TEST_F(GatherTest, AQuestionThatRefersBackIsSearchedWithTheOneBefore) {
  context_.conversation_history = {{Role::user, "What does the ferry to Skye cost?"},
                                   {Role::assistant, "12.50."},
                                   {Role::user, "Is that safe?"},
                                   {Role::assistant, "Yes."},
                                   {Role::user, "And how long does it take?"}};
  EXPECT_EQ(gathered()->searched, "What does the ferry to Skye cost?\nIs that safe?\nAnd how long does it take?");
  context_.conversation_history.back().content = std::string("Where does my sister live?");
  EXPECT_EQ(gathered()->searched, "Where does my sister live?") << "it refers to nothing";
}

TEST_F(GatherTest, NothingIsReferredToOutsideADialogue) {
  context_.conversation_history = {{Role::user, "What does the ferry cost?"}, {Role::user, "Is that safe?"}};
  EXPECT_EQ(gathered()->searched, "Is that safe?") << "nobody has answered";
}

TEST_F(GatherTest, InALoopTheRequestIsSearchedForAsItIs) {
  context_.conversation_history = {{Role::user, "find the drawer"},
                                   tool_call("a"),
                                   tool_result("a", "in the kitchen"),
                                   {Role::assistant, "Found."},
                                   {Role::user, "Is that safe?"}};
  EXPECT_EQ(gathered()->searched, "Is that safe?");
}

TEST_F(GatherTest, ATranscriptOfOtherPeoplesTalkGivesNoHints) {
  context_.conversation_history = {{Role::user, "one"}, {Role::user, "two"}, {Role::user, "three"}};
  EXPECT_TRUE(hints_of(context_, *gathered(), 3).empty());
}

TEST_F(GatherTest, NoMoreThanTheNewestSixTurnsHint) {
  for (int i = 0; i < 9; ++i) context_.conversation_history.push_back({Role::user, std::to_string(i)});
  context_.conversation_history.insert(context_.conversation_history.begin(), {Role::assistant, "yes"});
  const auto hints = hints_of(context_, *gathered(), 10);
  ASSERT_EQ(hints.size(), 6U);
  EXPECT_EQ(hints.front(), "user: 7");
}

TEST_F(GatherTest, OldReasoningBeyondTheLimitGivesNoArtifacts) {
  context_.conversation_history = {{Role::assistant, "old"}, {Role::user, "two"}, {Role::user, "three"}};
  ReasoningStepRecord record;
  record.tool_results.push_back({"search", true, "old result"});
  context_.conversation_history[0].reasoning_steps.push_back(record);
  context_.max_historical_messages = 2;
  EXPECT_TRUE(gathered()->items.empty());
  context_.max_historical_messages = 3;
  EXPECT_EQ(gathered()->items.size(), 1U);
}

TEST_F(GatherTest, OnlyABrokenHistoryIsCopiedAndMended) {
  Context context;
  context.system_prompt_override = "s";
  context.conversation_history = {{Role::user, "a"}, tool_call("c")};
  EXPECT_FALSE(mend(context, BuildRequest()).context) << "a call may be open at the end";
  context.conversation_history.push_back({Role::user, "b"});
  const auto mended = mend(context, BuildRequest());
  ASSERT_TRUE(mended.context);
  EXPECT_EQ(mended.context->conversation_history.size(), 4U);
  EXPECT_EQ(mended.context->system_prompt_override, "s");
  ASSERT_EQ(mended.notes.size(), 1U);
  EXPECT_EQ(mended.notes[0], "mended: message 2, call \"c\": it had no result");
}

TEST_F(GatherTest, AResultWithoutItsCallIsAnArtifact) {
  Context context;
  ConversationMessage lost{Role::tool, "rows of a table"};
  lost.tool_call_id = "z";
  context.artifacts = {make_document("a", "taken")};
  context.artifacts[0].artifact_id = "lost_call_1";
  context.conversation_history = {{Role::user, "a"}, lost, {Role::user, "b"}};
  const auto mended = mend(context, BuildRequest());
  ASSERT_TRUE(mended.context);
  EXPECT_EQ(mended.context->conversation_history.size(), 2U);
  ASSERT_EQ(mended.context->artifacts.size(), 2U);
  EXPECT_EQ(mended.context->artifacts[1].content, "rows of a table");
  EXPECT_EQ(mended.context->artifacts[1].artifact_id, "lost_call_1_");
  EXPECT_EQ(mended.context->artifacts[1].trust, Trust::untrusted);
  EXPECT_EQ(mended.context->artifacts[1].artifact_type, ArtifactType::tool_result);
}

TEST_F(GatherTest, NothingIsRefusedThatTheServiceOfTheModelTakes) {
  Context context;
  auto wrong = tool_call("c");
  wrong.tool_calls[0].arguments_json = "no json";
  context.conversation_history = {
      wrong, tool_result("c", "1"), tool_call("c"), tool_result("c", "2"), {Role::user, "b"}};
  EXPECT_FALSE(mend(context, BuildRequest(), model_of("openai")).context) << "sent as it is";
  EXPECT_EQ(mend(context, BuildRequest(), model_of("anthropic")).notes.size(), 2U);
  EXPECT_EQ(mend(context, BuildRequest(), model_of("google")).notes.size(), 1U) << "the arguments";
  EXPECT_EQ(mend(context, BuildRequest()).notes.size(), 2U) << "of the unknown nobody knows";
}

TEST_F(GatherTest, IdsAreThereAndUnique) {
  context_.artifacts = {make_document("a", "one"), make_document("a", "two")};
  EXPECT_EQ(gathered().error().code, ErrorCode::invalid_argument);
  context_.artifacts = {Artifact{}};
  EXPECT_EQ(gathered().error().code, ErrorCode::invalid_argument);
  context_.artifacts = {make_document("a", std::string(16U << 20, 'x'))};
  EXPECT_TRUE(gathered());
  context_.artifacts[0].content += 'x';
  EXPECT_EQ(gathered().error().code, ErrorCode::limit_exceeded);
}

TEST_F(GatherTest, FingerprintsNoticeEveryChange) {
  context_.artifacts = {make_document("a", "one"), make_document("b", "two")};
  const auto before = fingerprints(gathered()->items);
  context_.artifacts[1].trust = Trust::trusted;
  const auto after = fingerprints(gathered()->items);
  EXPECT_EQ(before[0], after[0]);
  EXPECT_NE(before[1], after[1]);
}

}  // namespace
}  // namespace ctxmgr::engine
