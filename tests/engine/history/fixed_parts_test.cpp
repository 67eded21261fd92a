#include "engine/history/fixed_parts.hpp"

#include "core/utf8.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

class FixedPartsTest : public ::testing::Test {
 protected:
  Result<FixedParts> measure(std::int64_t max_input, Oversized oversized = Oversized::fail) {
    ThreadAnalysis thread;
    EXPECT_TRUE(thread.extend(context_.conversation_history, *counter_));
    std::optional<std::size_t> question;
    if (!thread.user_messages().empty()) question = thread.user_messages().back();
    return measure_fixed_parts(context_, thread, question, std::nullopt, max_input, oversized, *counter_);
  }
  void say(Role role, const std::string& text) { context_.conversation_history.push_back({role, text}); }

  Context context_;
  std::unique_ptr<TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(FixedPartsTest, CountInstructionsPinsPendingCallsAndTheQuestion) {
  say(Role::system, "Be brief.");
  say(Role::user, "pinned");
  context_.conversation_history.back().retention = Retention::pinned;
  say(Role::assistant, "not fixed");
  say(Role::user, "question");
  context_.conversation_history.push_back(testing::tool_call("waiting"));
  auto sent = context_.conversation_history;
  sent.erase(sent.begin() + 2);
  EXPECT_EQ(measure(1'000)->tokens, count_messages(*counter_, sent));
}

TEST_F(FixedPartsTest, TheFiguresAreInTheError) {
  say(Role::user, testing::words(200));
  const auto measured = measure(50);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::budget_exceeded);
  EXPECT_TRUE(testing::contains(measured.error().message, "the budget is 50"));
  EXPECT_FALSE(testing::contains(measured.error().message, "filler"));
}

TEST_F(FixedPartsTest, APinnedQuestionIsNotShrunk) {
  say(Role::user, testing::words(200));
  context_.conversation_history.back().retention = Retention::pinned;
  const auto measured = measure(50, Oversized::shrink);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::budget_exceeded);
}

TEST_F(FixedPartsTest, AShrunkQuestionFillsItsRoomWithoutCuttingCharacters) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "合同😀 ";
  say(Role::user, text);
  for (std::int64_t room = 40; room < 300; room += 13) {
    const auto measured = measure(room, Oversized::shrink);
    ASSERT_TRUE(measured) << room;
    EXPECT_LE(measured->tokens, room);
    EXPECT_GE(measured->tokens, room - 12);
    EXPECT_TRUE(utf8::is_valid(text_of(*measured->shrunk_question)));
  }
}

TEST_F(FixedPartsTest, AShrunkQuestionKeepsItsImagesOrNamesThem) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:,x"}})";
  say(Role::user, "");
  context_.conversation_history.back().content =
      std::vector<ContentPart>{{PartKind::text, testing::words(2'000), {}}, {PartKind::image, {}, image}};
  const auto roomy = measure(binary_part_tokens + 200, Oversized::shrink);
  ASSERT_TRUE(roomy);
  const auto& parts = std::get<std::vector<ContentPart>>(roomy->shrunk_question->content);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].json, image);
  EXPECT_LE(roomy->tokens, binary_part_tokens + 200);
  const auto tight = measure(200, Oversized::shrink);
  ASSERT_TRUE(tight);
  EXPECT_LE(tight->tokens, 200);
  EXPECT_TRUE(testing::contains(text_of(*tight->shrunk_question), "[left out: image"));
}

TEST_F(FixedPartsTest, NotEvenTheMarkerFitting) {
  say(Role::user, testing::words(200));
  EXPECT_EQ(measure(8, Oversized::shrink).error().code, ErrorCode::budget_exceeded);
}

TEST_F(FixedPartsTest, AnOverrideTakesThePlaceOfAllInstructions) {
  say(Role::system, testing::words(300));
  say(Role::user, "question");
  context_.system_prompt_override = "Be brief.";
  EXPECT_EQ(measure(100)->tokens, count_messages(*counter_, {{Role::system, "Be brief."}, {Role::user, "question"}}));
}

}  // namespace
}  // namespace ctxmgr::engine
