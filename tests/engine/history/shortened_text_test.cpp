#include "engine/history/shortened_text.hpp"

#include "support/build_fixture.hpp"

namespace ctxmgr::engine {
namespace {

using testing::contains;
using testing::words;

TEST(ShortenedTextTest, KeepsHeadAndTailWithinTheRoom) {
  const auto counter = make_approximate_token_counter();
  const ConversationMessage message{Role::user, "It begins here. " + words(2'000) + " It ends here."};
  for (const std::int64_t room : {40, 100, 700}) {
    const auto shortened = head_and_tail(message, room, *counter);
    ASSERT_TRUE(shortened);
    EXPECT_LE(counter->count_message(*shortened), room);
    EXPECT_TRUE(contains(text_of(*shortened), "It begins"));
    EXPECT_TRUE(contains(text_of(*shortened), "characters left out"));
  }
  EXPECT_TRUE(contains(text_of(*head_and_tail(message, 700, *counter)), "It ends here."));
}

TEST(ShortenedTextTest, TheTailBeginsWithASentence) {
  const auto counter = make_approximate_token_counter();
  const std::string rule = "Write every comment in the file in Finnish.";
  const ConversationMessage message{Role::user, "It begins here. " + words(2'000) + ".\n" + rule};
  for (std::int64_t room = 48; room < 200; ++room) {
    const auto text = text_of(*head_and_tail(message, room, *counter));
    EXPECT_TRUE(contains(text, "\n" + rule)) << room << ": " << text;
    EXPECT_TRUE(contains(text, "It begins")) << room;
  }
}

TEST(ShortenedTextTest, NothingWhereNotEvenTheMarkFits) {
  const auto counter = make_approximate_token_counter();
  EXPECT_FALSE(head_and_tail({Role::user, words(100)}, 3, *counter));
}

TEST(ShortenedTextTest, ImagesStayWhereTheyFitAndAreNamedWhereTheyDoNot) {
  const auto counter = make_approximate_token_counter();
  ConversationMessage message{Role::user, std::vector<ContentPart>{}};
  auto& parts = std::get<std::vector<ContentPart>>(message.content);
  parts.push_back({PartKind::text, words(2'000)});
  parts.push_back({PartKind::image, "", R"({"type":"image_url","image_url":{"url":"https://a.example/p.png"}})"});
  const auto alone = counter->count_message({Role::user, std::vector<ContentPart>{parts[1]}});
  const auto with = head_and_tail(message, alone + 200, *counter);
  ASSERT_TRUE(with);
  EXPECT_EQ(std::get<std::vector<ContentPart>>(with->content).size(), 2U);
  const auto without = head_and_tail(message, 120, *counter);
  ASSERT_TRUE(without);
  EXPECT_TRUE(contains(text_of(*without), "[left out: image https://a.example/p.png]"));
}

}  // namespace
}  // namespace ctxmgr::engine
