#include "ctxmgr/core/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/history/history_reader.hpp"
#include "core/tool_messages.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

using testing::calling;
using ::testing::ElementsAre;
using testing::result;

using Messages = std::vector<ConversationMessage>;

struct Mended {
  Messages messages;
  std::vector<std::string> notes;
  std::size_t lost = 0;  ///< Results without their call.
};

Mended mended_for(const Messages& messages, const HistoryDemands& demands = {}) {
  HistoryReader reader(HistoryReader::Purpose::mend, demands);
  reader.read(messages);
  Mended mended;
  mended.lost = reader.take_lost_results().size();
  mended.messages = reader.take_mended();
  mended.notes = reader.notes();
  return mended;
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
  const auto mended = mended_for(messages);
  EXPECT_TRUE(mended.notes.empty());
  EXPECT_EQ(to_json(mended.messages), to_json(messages));
}

TEST(HistoryTest, OpenCallsAtTheVeryEndAreLegal) {
  EXPECT_EQ(error_of({{Role::user, "u"}, calling({"a", "b"})}), "");
  EXPECT_TRUE(mended_for({{Role::user, "u"}, calling({"a", "b"})}).notes.empty());
}

TEST(HistoryTest, CallsThatWaitBesideOthersThatHaveTheirResultAreMendedAtTheVeryEndToo) {
  const Messages messages{{Role::user, "u"}, calling({"a", "b", "c"}), result("b")};
  EXPECT_EQ(error_of(messages), "message 2, call \"a\": it had no result");
  const auto mended = mended_for(messages).messages;
  ASSERT_EQ(mended.size(), 5U);
  EXPECT_EQ(mended[3].tool_call_id, "a");
  EXPECT_EQ(mended[4].tool_call_id, "c");
  EXPECT_EQ(text_of(mended[4]), "no result: interrupted");
}

TEST(HistoryTest, ACallWithoutItsResultIsNamedAndMended) {
  const Messages messages{{Role::user, "u"}, calling({"a", "b"}), result("b"), {Role::user, "v"}};
  EXPECT_EQ(error_of(messages), "message 2, call \"a\": it had no result");
  const auto mended = mended_for(messages).messages;
  ASSERT_EQ(mended.size(), 5U);
  EXPECT_EQ(mended[3].tool_call_id, "a");
  EXPECT_EQ(text_of(mended[3]), "no result: interrupted");
}

TEST(HistoryTest, AResultWithoutItsCallIsNamedAndTakenOut) {
  const Messages messages{{Role::user, "u"}, calling({"a"}), result("z", "lost"), result("a"), {Role::user, "v"}};
  EXPECT_EQ(error_of(messages), "message 3, call \"z\": a result without its call");
  const auto mended = mended_for(messages);
  ASSERT_EQ(mended.messages.size(), 4U);
  EXPECT_EQ(mended.messages[2].tool_call_id, "a");
  EXPECT_EQ(mended.lost, 1U);
  EXPECT_EQ(error_of({result("a")}), "message 1, call \"a\": a result without its call");
  EXPECT_EQ(error_of({calling({"a"}), result("a"), result("a")}), "message 3, call \"a\": a result without its call");
}

TEST(HistoryTest, IdsThatAreEmptyOrRepeatedAreReplaced) {
  const Messages messages{calling({"", "a"}), result(""), result("a"), {Role::user, "u"}, calling({"a"}), result("a")};
  EXPECT_EQ(error_of(messages), "message 1, call \"\": it had no id");
  const auto mended = mended_for(messages);
  EXPECT_THAT(mended.notes,
              ElementsAre("message 1, call \"\": it had no id", "message 5, call \"a\": its id was used before"));
  EXPECT_EQ(mended.messages[0].tool_calls[0].id, "call_1");
  EXPECT_EQ(mended.messages[1].tool_call_id, "call_1");
  EXPECT_EQ(mended.messages[4].tool_calls[0].id, "a_2");
  EXPECT_EQ(mended.messages[5].tool_call_id, "a_2");
}

TEST(HistoryTest, AnIdMayComeAgainOnceItsGroupIsCompleteWhereTheServiceTakesThat) {
  const HistoryDemands lenient{false, true, EmptyMessages::allowed};
  const Messages messages{calling({"a"}), result("a", "one"), calling({"a"}), result("a", "two"), {Role::user, "u"}};
  EXPECT_TRUE(check_history(messages, lenient));
  EXPECT_EQ(to_json(mended_for(messages, lenient).messages), to_json(messages));
  const Messages doubled{calling({"a", "a"}), result("a", "one"), result("a", "two"), {Role::user, "u"}};
  EXPECT_FALSE(check_history(doubled, lenient));
  const auto mended = mended_for(doubled, lenient).messages;
  EXPECT_EQ(mended[0].tool_calls[1].id, mended[2].tool_call_id);
  EXPECT_NE(mended[0].tool_calls[0].id, mended[0].tool_calls[1].id);
}

TEST(HistoryTest, AgentsThatUseTheSameIdsDoNotGetEachOthersResults) {
  const auto by = [](const std::string& agent, ConversationMessage message) {
    message.agent = agent;
    return message;
  };
  const Messages messages{by("a", calling({"x"})),
                          by("b", calling({"x"})),
                          by("a", result("x", "weather")),
                          by("b", result("x", "salary")),
                          {Role::user, "u"}};
  const auto well = mended_for(messages);
  const auto& mended = well.messages;
  for (std::size_t i = 0; i + 1 < mended.size(); ++i) {
    if (mended[i].agent == "b" && !mended[i].tool_calls.empty()) {
      EXPECT_EQ(text_of(mended[i + 1]), "salary");
    }
  }
  EXPECT_EQ(well.lost, 0U);
  EXPECT_EQ(text_of(mended[1]), "weather") << "what came too late is no other's";
}

TEST(HistoryTest, ArgumentsOfAnyKindAreTakenWhereTheServiceTakesThem) {
  EXPECT_TRUE(
      check_history({calling({"a"}, "not json"), result("a")}, HistoryDemands{true, false, EmptyMessages::allowed}));
}

TEST(HistoryTest, ArgumentsThatAreNoObjectAreShownAsSuch) {
  const Messages messages{calling({"a"}, R"({"x": 1)"), result("a")};
  EXPECT_EQ(error_of(messages), "message 1, call \"a\": its arguments were no JSON object");
  EXPECT_EQ(mended_for(messages).messages[0].tool_calls[0].arguments_json, R"({"invalid_arguments":"{\"x\": 1"})");
  EXPECT_EQ(error_of({calling({"a"}, "")}), "message 1, call \"a\": its arguments were no JSON object");
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
    const auto mended = mended_for(messages);
    RC_ASSERT(check_history(mended.messages).has_value());
    RC_ASSERT(mended.messages.size() + mended.lost >= messages.size());
    RC_ASSERT(mended.notes.empty() == (to_json(mended.messages) == to_json(messages)));
  }));
}

}  // namespace
}  // namespace ctxmgr
