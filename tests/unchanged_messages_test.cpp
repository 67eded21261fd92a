#include "unchanged_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;

constexpr auto changed = std::nullopt;

TEST(UnchangedMessagesTest, EachIsFoundOnceAndInOrder) {
  const std::vector<ConversationMessage> read{
      {Role::user, "a"}, {Role::assistant, "b"}, {Role::user, "a"}, {Role::user, "c"}};
  EXPECT_THAT(UnchangedMessages(read).find(read), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(UnchangedMessages(read).find({{Role::assistant, "b"}, {Role::user, "a"}}), ElementsAre(1, 2));
  EXPECT_THAT(UnchangedMessages(read).find({{Role::user, "new"}, {Role::user, "c"}, {Role::assistant, "b"}}),
              ElementsAre(changed, 3, changed));
}

TEST(UnchangedMessagesTest, AnythingThatDiffersIsAChange) {
  ConversationMessage message{Role::assistant, "a"};
  message.tool_calls.push_back({"c", "f", "{}", ""});
  auto other = message;
  other.tool_calls[0].arguments_json = R"({"x":1})";
  EXPECT_THAT(UnchangedMessages({message}).find({other}), ElementsAre(changed));
  EXPECT_THAT(UnchangedMessages({message}).find({message}), ElementsAre(0));
}

}  // namespace
}  // namespace ctxmgr
