#include "unchanged_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/history/known_messages.hpp"

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;

constexpr auto changed = std::nullopt;

std::vector<std::optional<std::size_t>> unchanged(const std::vector<ConversationMessage>& read,
                                                  const std::vector<ConversationMessage>& built) {
  return find_unchanged(read, engine::KnownMessages().hashes(read), built);
}

TEST(UnchangedMessagesTest, EachIsFoundOnceAndInOrder) {
  const std::vector<ConversationMessage> read{
      {Role::user, "a"}, {Role::assistant, "b"}, {Role::user, "a"}, {Role::user, "c"}};
  EXPECT_THAT(unchanged(read, read), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(unchanged(read, {{Role::assistant, "b"}, {Role::user, "a"}}), ElementsAre(1, 2));
  EXPECT_THAT(unchanged(read, {{Role::user, "new"}, {Role::user, "c"}, {Role::assistant, "b"}}),
              ElementsAre(changed, 3, changed));
}

TEST(UnchangedMessagesTest, MessagesOfOneTextAreToldApart) {
  const std::vector<ConversationMessage> read{{Role::user, "a"}, {Role::assistant, "a"}, {Role::user, "a"}};
  EXPECT_THAT(unchanged(read, {{Role::assistant, "a"}, {Role::user, "a"}}), ElementsAre(1, 2));
  const std::string long_text(100, 'x');
  auto middle = long_text;
  middle[50] = 'y';
  EXPECT_THAT(unchanged({{Role::user, long_text}}, {{Role::user, middle}}), ElementsAre(changed));
}

TEST(UnchangedMessagesTest, AnythingThatDiffersIsAChange) {
  ConversationMessage message{Role::assistant, "a"};
  message.tool_calls.push_back({"c", "f", "{}", ""});
  auto other = message;
  other.tool_calls[0].arguments_json = R"({"x":1})";
  EXPECT_THAT(unchanged({message}, {other}), ElementsAre(changed));
  EXPECT_THAT(unchanged({message}, {message}), ElementsAre(0));
}

}  // namespace
}  // namespace ctxmgr
