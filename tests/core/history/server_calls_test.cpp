#include "core/history/server_calls.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

ConversationMessage saying(std::vector<std::string> blocks) {
  std::vector<ContentPart> parts;
  for (auto& block : blocks) parts.push_back({PartKind::other, "", std::move(block)});
  return {Role::assistant, std::move(parts)};
}

const char* const search = R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{}})";
const char* const found = R"({"type":"web_search_tool_result","tool_use_id":"s1","content":[
    {"type":"web_search_result","url":"u","title":"Tides","encrypted_content":"QUJD"}]})";
const char* const connector = R"({"type":"mcp_tool_use","id":"m1","name":"list","server_name":"x","input":{}})";

TEST(ServerCallsTest, CallsAndResultsAreFoundAmongOtherParts) {
  const auto parts =
      server_parts(saying({R"({"type":"thinking","thinking":"web_search_tool_result"})", search, found}));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].id, "s1");
  EXPECT_EQ(parts[0].tool, "web_search");
  EXPECT_FALSE(parts[0].is_result);
  EXPECT_EQ(parts[1].part, 2U);
  EXPECT_TRUE(parts[1].is_result);
  EXPECT_TRUE(server_parts({Role::user, "server_tool_use"}).empty());
}

TEST(ServerCallsTest, AResultInALaterMessageClosesItsCall) {
  ServerCalls calls;
  calls.read(saying({search, connector}), 4);
  EXPECT_TRUE(calls.any());
  EXPECT_TRUE(calls.lost_results(saying({found})).empty());
  calls.read(saying({found}), 5);
  const auto open = calls.take();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open.begin()->first, "m1");
  EXPECT_EQ(open.begin()->second.message, 4U);
  EXPECT_EQ(open.begin()->second.part, 1U);
}

TEST(ServerCallsTest, AResultWithoutItsCallIsLostAndStillReadable) {
  const auto message = saying({found, search});
  EXPECT_EQ(ServerCalls().lost_results(message), std::vector<std::size_t>{0});
  EXPECT_EQ(words_of_server_result(std::get<std::vector<ContentPart>>(message.content)[0]), "u\nTides");
}

}  // namespace
}  // namespace ctxmgr
