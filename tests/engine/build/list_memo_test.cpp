#include "engine/build/list_memo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr::engine {
namespace {

/// A request with these texts as its list.
std::string request(const std::string& list, const std::string& before = "") {
  return "{" + before + R"("messages":[)" + list + R"(],"n":1})";
}

/// What a door reads of such a request: a user's message for each element.
ReadList read(const std::string& text, ListForm form = ListForm::chat) {
  ReadList list;
  list.form = form;
  auto elements = parse_json(text).value()["messages"].elements();
  std::vector<ConversationMessage> messages;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    messages.push_back({Role::user, elements[i]["a"].string()});
    places.emplace_back(i, i + 1);
  }
  list.append(std::move(elements), std::move(messages), places);
  return list;
}

const std::string two_messages = R"({"a":"first"}, {"a":"[second]"})";

class ListMemoTest : public ::testing::Test {
 protected:
  void keep(const std::string& text) { memo.put(read(text), text, "messages"); }

  /// What is left to read; "-": all of it.
  std::string rest(const std::string& text, ListForm form = ListForm::chat) {
    auto taken = memo.take(form, text, "messages");
    return taken ? taken->text : "-";
  }

  ListMemo memo{1'000'000};
};

TEST_F(ListMemoTest, WhatStandsBehindAKnownBeginningIsLeft) {
  keep(request(two_messages));
  EXPECT_EQ(rest(request(two_messages + R"( , {"a":"third"})")), request(R"({"a":"third"})"));
  keep(request(two_messages));
  EXPECT_EQ(rest(request(two_messages, R"("tools":[{"messages":[]}],)")), request("", R"("tools":[{"messages":[]}],)"))
      << "what is beside the list may change";
}

TEST_F(ListMemoTest, WhatIsNoListGoingOnIsReadWhole) {
  for (const char* const other : {",", ", ", "x", " {\"a\":\"third\"}", ",\"a\"", "]]", "}"}) {
    keep(request(two_messages));
    EXPECT_EQ(rest(request(two_messages + other)), other[0] == ']' ? R"({"messages":[]]],"n":1})" : "-") << other;
  }
  keep(request(two_messages));
  EXPECT_EQ(rest(R"(["messages",)" + two_messages + "]"), "-");
  EXPECT_EQ(rest(R"({"messages":7})"), "-");
  EXPECT_EQ(rest(request(two_messages), ListForm::messages), "-") << "another form reads it in another way";
}

TEST_F(ListMemoTest, LessThanHalfOfItIsNoBeginning) {
  keep(request(two_messages));
  EXPECT_EQ(rest(request(R"({"a":"firsT"}, {"a":"[second]"})")), "-");
  EXPECT_EQ(rest(request(two_messages)), request("")) << "who only asks takes nothing out";
}

TEST_F(ListMemoTest, OfAnAssistantThatMayGoOnNothingIsKept) {
  auto list = read(request(two_messages));
  list.messages.back().role = Role::assistant;
  memo.put(std::move(list), request(two_messages), "messages");
  EXPECT_EQ(rest(request(two_messages)), request(R"({"a":"[second]"})"));
}

TEST_F(ListMemoTest, ElementsThatAreNoObjectsAreNotKept) {
  const std::string text = R"({"messages":["a","b"]})";
  keep(text);
  EXPECT_EQ(rest(text), "-");
}

TEST(ListMemoThreadsTest, ARequestIsAnsweredWhileAnothersListIsDropped) {
  constexpr std::size_t long_text = 10'000, room_for_one = 5 * long_text;  // A list takes three times its text.
  const auto of_length = [](char letter) { return request(R"({"a":")" + std::string(long_text, letter) + R"("})"); };
  const auto first = of_length('x'), second = of_length('y');
  std::future<bool> asked;
  std::optional<std::future_status> waited;
  ListMemo memo(room_for_one);
  auto list = read(first);
  // As the list goes, another request asks; only once that was answered it is gone.
  list.known = std::shared_ptr<KnownMessages>(new KnownMessages, [&](KnownMessages* known) {
    delete known;
    asked = std::async(std::launch::async, [&] { return memo.take(ListForm::chat, second, "messages").has_value(); });
    waited = asked.wait_for(std::chrono::seconds(20));
  });
  memo.put(std::move(list), first, "messages");
  ASSERT_FALSE(waited) << "the list is kept";
  memo.put(read(second), second, "messages");
  ASSERT_TRUE(waited) << "the list was dropped for the other one";
  EXPECT_EQ(*waited, std::future_status::ready) << "a request waited until the list was gone";
  EXPECT_TRUE(asked.get());
}

}  // namespace
}  // namespace ctxmgr::engine
