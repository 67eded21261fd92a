#include "engine/build/parts.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class AssembleTest : public ::testing::Test {
 protected:
  void say(Role role, const std::string& text) { context_.conversation_history.push_back({role, text}); }
  /// What each message says, in a word; a block is "#", steps are "$".
  std::string assembled(std::size_t cut = 0) {
    parts_.suffix.cut = cut;
    EXPECT_TRUE(thread_.extend(context_.conversation_history, *counter_));
    std::optional<std::size_t> question;
    if (!thread_.user_messages().empty()) question = thread_.user_messages().back();
    ToolResultViews views(context_.conversation_history, thread_, retriever_, *counter_, nullptr);
    SuffixPlanner suffixes(thread_, question, views);
    assembly_ = assemble(parts_, {context_, thread_, suffixes, views, *counter_, question});
    std::string words;
    for (std::size_t i = 0; i < assembly_.messages.size(); ++i) {
      const auto text = text_of(assembly_.messages[i]);
      words += (i == assembly_.block_at ? "#" : i == assembly_.steps_at ? "$" : text) + " ";
    }
    return words;
  }

  Context context_;
  Parts parts_;
  Assembly assembly_;
  ThreadAnalysis thread_;
  Retriever retriever_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(AssembleTest, TheBlockStandsBeforeTheQuestionAndTheStepsAtTheEnd) {
  say(Role::system, "sys");
  say(Role::user, "old");
  say(Role::assistant, "answer");
  say(Role::user, "question");
  say(Role::assistant, "working");
  parts_.block.entries.push_back({0, "## h", "text"});
  context_.step_records.resize(1);
  EXPECT_EQ(assembled(), "sys old answer # question working $ ");
  EXPECT_EQ(assembly_.leading, 1U);
  EXPECT_EQ(assembly_.stable, 3U);
  EXPECT_EQ(assembly_.included, 5U);
}

TEST_F(AssembleTest, WhatIsFixedStaysBeforeACut) {
  say(Role::system, "sys");
  say(Role::user, "pin");
  context_.conversation_history.back().retention = Retention::pinned;
  say(Role::user, "cut");
  say(Role::system, "late");
  say(Role::assistant, "answer");
  say(Role::user, "question");
  EXPECT_EQ(assembled(4), "sys pin late answer question ");
  EXPECT_EQ(assembled(6), "sys pin late question ");
  EXPECT_EQ(assembly_.included, 4U);
}

TEST_F(AssembleTest, ARunningTurnKeepsItsOrderBehindItsQuestion) {
  say(Role::user, "question");
  say(Role::assistant, "one");
  say(Role::assistant, "two");
  EXPECT_EQ(assembled(2), "question two ");
}

TEST_F(AssembleTest, WithoutAQuestionTheBlockFollowsTheInstructions) {
  say(Role::system, "sys");
  say(Role::assistant, "working");
  parts_.block.entries.push_back({0, "## h", "text"});
  EXPECT_EQ(assembled(), "sys # working ");
}

TEST_F(AssembleTest, AnOverrideAndAShortenedQuestionTakeTheirPlaces) {
  say(Role::system, "sys");
  say(Role::user, "a long question");
  parts_.fixed.system_override = ConversationMessage{Role::system, "override"};
  context_.system_prompt_override = "override";
  parts_.fixed.shrunk_question = ConversationMessage{Role::user, "short"};
  EXPECT_EQ(assembled(), "override short ");
}

TEST_F(AssembleTest, ImagesBeforeTheMarkAreNamedWhereTheyStand) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:,x"}})";
  for (int i = 0; i < 2; ++i)
    context_.conversation_history.push_back(
        {Role::user, std::vector<ContentPart>{{PartKind::text, "look", {}}, {PartKind::image, {}, image}}});
  say(Role::user, "question");
  parts_.suffix.images_from = 1;
  (void)assembled();
  EXPECT_TRUE(testing::contains(text_of(assembly_.messages[0]), "[left out: image]"));
  EXPECT_FALSE(testing::contains(text_of(assembly_.messages[1]), "left out"));
}

}  // namespace
}  // namespace ctxmgr::engine
