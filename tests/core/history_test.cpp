#include "ctxmgr/core/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;

using Messages = std::vector<ConversationMessage>;

ConversationMessage calling(const std::vector<std::string>& ids, const std::string& arguments = "{}") {
  ConversationMessage message{Role::assistant};
  for (const auto& id : ids) message.tool_calls.push_back({id, "f", arguments, ""});
  return message;
}

ConversationMessage result(const std::string& id, const std::string& text = "r") {
  ConversationMessage message{Role::tool, text};
  message.tool_call_id = id;
  return message;
}

std::string error_of(const Messages& messages) {
  const auto checked = check_history(messages);
  return checked ? std::string() : checked.error().message;
}

TEST(HistoryTest, WhatServicesTakeIsLeftAsItIs) {
  const Messages messages{{Role::system, "s"}, {Role::user, "u"}, calling({"a", "b"}),
                          result("b"),         result("a"),       {Role::user, "v"},
                          calling({"c"}),      result("c"),       {Role::assistant, "w"}};
  EXPECT_EQ(error_of(messages), "");
  const auto mended = mend_history(messages);
  EXPECT_TRUE(mended.notes.empty());
  EXPECT_EQ(to_json(mended.messages), to_json(messages));
}

TEST(HistoryTest, OpenCallsAtTheVeryEndAreLegal) {
  EXPECT_EQ(error_of({{Role::user, "u"}, calling({"a", "b"})}), "");
  EXPECT_EQ(error_of({{Role::user, "u"}, calling({"a", "b"}), result("a")}), "");
}

TEST(HistoryTest, ACallWithoutItsResultIsNamedAndMended) {
  const Messages messages{{Role::user, "u"}, calling({"a", "b"}), result("b"), {Role::user, "v"}};
  EXPECT_EQ(error_of(messages), "messages[1], call \"a\": it had no result");
  const auto mended = mend_history(messages).messages;
  ASSERT_EQ(mended.size(), 5U);
  EXPECT_EQ(mended[3].tool_call_id, "a");
  EXPECT_EQ(text_of(mended[3]), "no result: interrupted");
}

TEST(HistoryTest, AResultWithoutItsCallIsNamedAndQuoted) {
  const Messages messages{{Role::user, "u"}, calling({"a"}), result("z", "lost"), result("a"), {Role::user, "v"}};
  EXPECT_EQ(error_of(messages), "messages[2], call \"z\": a result without its call");
  const auto mended = mend_history(messages).messages;
  ASSERT_EQ(mended.size(), 5U);
  EXPECT_EQ(mended[2].tool_call_id, "a");
  EXPECT_EQ(mended[3].role, Role::user);
  EXPECT_EQ(text_of(mended[3]), "A tool's result, of which the call is lost:\nlost");
  EXPECT_EQ(error_of({result("a")}), "messages[0], call \"a\": a result without its call");
  EXPECT_EQ(error_of({calling({"a"}), result("a"), result("a")}), "messages[2], call \"a\": a result without its call");
}

TEST(HistoryTest, IdsThatAreEmptyOrRepeatedAreReplaced) {
  const Messages messages{calling({"", "a"}), result(""), result("a"), {Role::user, "u"}, calling({"a"}), result("a")};
  EXPECT_EQ(error_of(messages), "messages[0], call \"\": it had no id");
  const auto mended = mend_history(messages);
  EXPECT_THAT(mended.notes,
              ElementsAre("messages[0], call \"\": it had no id", "messages[4], call \"a\": its id was used before"));
  EXPECT_EQ(mended.messages[0].tool_calls[0].id, "call_1");
  EXPECT_EQ(mended.messages[1].tool_call_id, "call_1");
  EXPECT_EQ(mended.messages[4].tool_calls[0].id, "a_2");
  EXPECT_EQ(mended.messages[5].tool_call_id, "a_2");
}

TEST(HistoryTest, ArgumentsThatAreNoObjectAreShownAsSuch) {
  const Messages messages{calling({"a"}, R"({"x": 1)"), result("a")};
  EXPECT_EQ(error_of(messages), "messages[0], call \"a\": its arguments were no JSON object");
  EXPECT_EQ(mend_history(messages).messages[0].tool_calls[0].arguments_json, R"({"invalid_arguments":"{\"x\": 1"})");
  EXPECT_EQ(error_of({calling({"a"}, "")}), "") << "no arguments are none";
  ConversationMessage custom{Role::assistant};
  custom.tool_calls.push_back({"a", "shell", "ls -l", R"({"type":"custom"})"});
  EXPECT_EQ(error_of({custom}), "") << "a custom tool takes text";
}

TEST(HistoryTest, WhateverIsBrokenIsMendedAndMendedOnce) {
  EXPECT_TRUE(rc::check([] {
    Messages messages;
    const auto count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) {
      const auto id = *rc::gen::element<std::string>("", "a", "b", "c");
      switch (*rc::gen::inRange(0, 4)) {
        case 0: messages.push_back({Role::user, "u"}); break;
        case 1: messages.push_back(calling({id, *rc::gen::element<std::string>("a", "b")})); break;
        case 2: messages.push_back(result(id)); break;
        default: messages.push_back(calling({id}, *rc::gen::element<std::string>("{}", "{", "7")));
      }
    }
    const auto mended = mend_history(messages);
    RC_ASSERT(check_history(mended.messages).has_value());
    RC_ASSERT(mended.messages.size() >= messages.size());
    RC_ASSERT(mended.notes.empty() == (to_json(mended.messages) == to_json(messages)));
  }));
}

}  // namespace
}  // namespace ctxmgr
