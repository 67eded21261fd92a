#include "engine/build/pieces.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

SelectedText piece(std::size_t message, const std::string& text) {
  SelectedText piece;
  piece.index = message;
  piece.text = text;
  return piece;
}

std::vector<ConversationMessage> conversation() {
  std::vector<ConversationMessage> messages{{Role::user, "Read a.py."}, testing::tool_call("c1", "read")};
  messages.back().tool_calls[0].arguments_json = R"({"path":"a.py"})";
  messages.push_back(testing::tool_result("c1", "retry = 7"));
  messages.back().name = "read";
  messages.push_back({Role::assistant, "It retries."});
  messages.push_back({Role::user, "How often?"});
  return messages;
}

TEST(PiecesTest, APieceCarriesItsMessagesNumberWhereItDoesNotFollowTheOneBefore) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: Read a.py."), piece(3, "assistant: It retries."),
                                     piece(4, "user: How often?")}),
            "[1] user: Read a.py.\n[4] assistant: It retries.\nuser: How often?\n");
}

TEST(PiecesTest, ASequenceNumberIsTheNumber) {
  auto messages = conversation();
  messages[3].sequence_number = 40;
  EXPECT_EQ(piece_header(messages, 3), "[40]");
}

TEST(PiecesTest, AResultStandsBesideItsCallAndIsNamedOnce) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: Read a.py."), piece(2, "read: retry = 7")}),
            "[1] user: Read a.py.\n[3] read({\"path\":\"a.py\"}): retry = 7\n");
}

TEST(PiecesTest, LongArgumentsOfACallAreCut) {
  auto messages = conversation();
  messages[1].tool_calls[0].arguments_json = "{\"text\":\"" + std::string(4'000, 'x') + "\"}";
  EXPECT_LT(piece_header(messages, 2).size(), 200U);
}

TEST(PiecesTest, OneMarkStandsForWhatIsLeftOutBetweenTwoPieces) {
  const auto messages = conversation();
  EXPECT_EQ(render_pieces(messages, {piece(0, "user: … b …"), piece(3, "assistant: … d …")}),
            "[1] user: … b …\n[4] assistant: d …\n");
}

TEST(PiecesTest, CallsAloneAreNoPieceWithoutTheirResults) {
  auto messages = conversation();
  EXPECT_TRUE(is_bare_call(messages[1]));
  messages[1].content = "I read it.";
  EXPECT_FALSE(is_bare_call(messages[1]));
  EXPECT_FALSE(is_bare_call(messages[0]));
}

}  // namespace
}  // namespace ctxmgr::engine
