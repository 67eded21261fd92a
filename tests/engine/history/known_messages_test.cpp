#include "engine/history/known_messages.hpp"

#include <gtest/gtest.h>

#include "engine/history/content_hash.hpp"

namespace ctxmgr::engine {
namespace {

ConversationMessage call(const std::string& id, const std::string& arguments = "{}") {
  ConversationMessage message{Role::assistant, "Wait."};
  message.tool_calls.push_back({id, "look", arguments, ""});
  return message;
}

ConversationMessage seen(const std::string& id) {
  ConversationMessage message{Role::tool, "seen"};
  message.tool_call_id = id;
  return message;
}

std::vector<std::uint64_t> hashes_of(const std::vector<ConversationMessage>& messages) {
  std::vector<std::uint64_t> hashes;
  for (const auto& message : messages) hashes.push_back(content_hash(message));
  return hashes;
}

TEST(KnownMessagesTest, WhatItKnowsOfAGrowingHistoryIsThatOfAllOfIt) {
  const std::vector<ConversationMessage> all = {
      {Role::system, "Be brief."}, {Role::user, "Go."}, call("a"), seen("a"), call("b"), seen("b"),
      call("c", "no object")};
  KnownMessages known;
  for (std::size_t count = 0; count <= all.size(); ++count) {
    const std::vector<ConversationMessage> messages(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(known.hashes(messages), hashes_of(messages)) << count;
    for (const HistoryDemands demands : {HistoryDemands{}, no_demands, HistoryDemands{}})
      EXPECT_EQ(known.are_well(messages, demands), check_history(messages, demands).has_value()) << count;
  }
}

TEST(KnownMessagesTest, CallsThatAreAnsweredByHalfAreNotWellUntilTheRestComes) {
  auto two = call("a");
  two.tool_calls.push_back({"b", "look", "{}", ""});
  std::vector<ConversationMessage> messages = {{Role::user, "Go."}, two, seen("a")};
  KnownMessages known;
  EXPECT_FALSE(known.are_well(messages, {}));
  messages.push_back(seen("b"));
  EXPECT_TRUE(known.are_well(messages, {}));
}

TEST(KnownMessagesTest, WhatWasCutIsReadAnew) {
  std::vector<ConversationMessage> messages = {{Role::user, "Go."}, call("a"), {Role::user, "Stop."}};
  KnownMessages known;
  EXPECT_FALSE(known.are_well(messages, {})) << "the call has no result";
  EXPECT_EQ(known.hashes(messages).size(), 3U);
  messages.pop_back();
  messages.push_back(seen("a"));
  known.cut(2);
  EXPECT_TRUE(known.are_well(messages, {}));
  EXPECT_EQ(known.hashes(messages), hashes_of(messages));
}

TEST(KnownMessagesTest, InstructionsMayChange) {
  std::vector<ConversationMessage> messages = {{Role::system, "Be brief."}, {Role::user, "Go."}};
  KnownMessages known;
  EXPECT_EQ(known.hashes(messages).size(), 2U);
  messages.front().content = std::string("Be long.");
  known.replace_first(messages.front());
  EXPECT_EQ(known.hashes(messages), hashes_of(messages));
}

}  // namespace
}  // namespace ctxmgr::engine
