#include "core/history/history_reader.hpp"

#include <gtest/gtest.h>

#include "core/history/call_ids.hpp"
#include "core/tool_messages.hpp"

namespace ctxmgr {
namespace {

using testing::calling;
using testing::result;

using Messages = std::vector<ConversationMessage>;

TEST(HistoryReaderTest, AHistoryThatGrowsIsReadOn) {
  HistoryReader reader(HistoryReader::Purpose::check);
  Messages messages{{Role::user, "u"}, calling({"a"}), calling({"b"})};
  messages.pop_back();
  reader.read(messages);
  EXPECT_TRUE(reader.notes().empty()) << "the call is open at the very end";
  messages.push_back(result("a"));
  reader.read(messages);
  messages.push_back(calling({"b"}));
  reader.read(messages);
  EXPECT_TRUE(reader.notes().empty());
  messages.push_back({Role::user, "v"});
  reader.read(messages);
  ASSERT_EQ(reader.notes().size(), 1U);
  EXPECT_EQ(reader.notes().front(), "message 4, call \"b\": it had no result");
}

TEST(HistoryReaderTest, WhatWasReadIsRememberedByItsIds) {
  HistoryReader reader(HistoryReader::Purpose::check);
  Messages messages{calling({"a"}), result("a")};
  reader.read(messages);
  const auto bytes = reader.bytes();
  EXPECT_GT(bytes, 0U);
  messages.push_back(calling({"a"}));
  reader.read(messages);
  EXPECT_EQ(reader.notes().at(0), "message 3, call \"a\": its id was used before");
}

TEST(HistoryReaderTest, OnlyAMenderKeepsMessages) {
  HistoryReader checker(HistoryReader::Purpose::check);
  HistoryReader mender(HistoryReader::Purpose::mend);
  const Messages messages{{Role::user, "u"}, result("z")};
  checker.read(messages);
  mender.read(messages);
  EXPECT_EQ(checker.notes(), mender.notes());
  EXPECT_TRUE(checker.take_mended().empty());
  EXPECT_EQ(mender.take_mended().size(), 1U);
  EXPECT_EQ(mender.take_lost_results().size(), 1U);
}

TEST(HistoryReaderTest, AResultThatComesAfterAnInterruptionIsPutBehindItsCall) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  auto late = result("b");
  late.content = "B is down";
  reader.read(
      {{Role::user, "u"}, calling({"a", "b", "c"}), result("a"), {Role::user, "Hurry."}, late, {Role::user, "v"}});
  EXPECT_TRUE(reader.take_lost_results().empty());
  EXPECT_EQ(reader.notes().at(0), "message 2, call \"b\": its result came later, as message 5, and was put behind it");
  EXPECT_EQ(reader.notes().at(1), "message 2, call \"c\": it had no result");
  EXPECT_EQ(reader.take_put_in(), std::vector<std::size_t>{4});
  const auto mended = reader.take_mended();
  ASSERT_EQ(mended.size(), 7U);
  EXPECT_EQ(text_of(mended[3]), "B is down");
  EXPECT_EQ(mended[3].tool_call_id, "b");
  EXPECT_EQ(text_of(mended[4]), "no result: interrupted");
  EXPECT_EQ(text_of(mended[5]), "Hurry.");
}

TEST(HistoryReaderTest, ALateResultBelongsToOneCallOfItsAgent) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  auto call = calling({"a"});
  call.agent = "first";
  auto others = result("a");
  others.agent = "second";
  auto late = result("a");
  late.agent = "first";
  auto another = calling({"b"});
  another.agent = "second";
  auto answer = result("b");
  answer.agent = "second";
  reader.read({{Role::user, "u"}, call, {Role::user, "v"}, another, answer, others, late, late});
  EXPECT_EQ(reader.take_lost_results().size(), 2U) << "another agent's, and one too many";
  EXPECT_TRUE(reader.take_put_in().empty());
  EXPECT_EQ(reader.take_mended().size(), 6U);
}

Messages mended_of(const Messages& messages, const HistoryDemands& demands = {},
                   std::vector<std::string>* notes = nullptr) {
  HistoryReader reader(HistoryReader::Purpose::mend, demands);
  reader.read(messages);
  if (notes != nullptr) *notes = reader.notes();
  return reader.take_mended();
}

TEST(HistoryReaderTest, EmptyMessagesAreLeftOutAndAUserBetweenTwoWordsOfTheAssistantSaysGoOn) {
  std::vector<std::string> notes;
  const auto mended = mended_of({{Role::user, "u"},
                                 {Role::assistant},
                                 {Role::user, ""},
                                 {Role::assistant, "a"},
                                 {Role::user, "  "},
                                 {Role::assistant, "b"}},
                                {}, &notes);
  ASSERT_EQ(mended.size(), 4U);
  EXPECT_EQ(text_of(mended[1]), "a");
  EXPECT_EQ(text_of(mended[2]), "Continue.");
  EXPECT_EQ(text_of(mended[3]), "b");
  EXPECT_EQ(notes, (std::vector<std::string>{"message 2: it was empty", "message 3: it was empty",
                                             "message 5: it was empty"}));
  EXPECT_TRUE(HistoryReader(HistoryReader::Purpose::check, no_demands).is_well());
}

TEST(HistoryReaderTest, TheBreakpointOfAnEmptyMessageGoesToWhatStandsBefore) {
  const Messages messages{
      {Role::user, "u"},
      calling({"a"}),
      result("a"),
      {Role::user, std::vector<ContentPart>{{PartKind::text, "", R"({"cache_control":{"type":"ephemeral"}})"}}}};
  const auto mended = mended_of(messages);
  ASSERT_EQ(mended.size(), 3U);
  EXPECT_EQ(mended[2].extra_json, R"({"cache_control":{"type":"ephemeral"}})");
}

TEST(HistoryReaderTest, ArgumentsThatAreNoObjectBecomeOne) {
  const auto arguments = [](const std::string& written) {
    auto call = calling({"a"});
    call.tool_calls[0].arguments_json = written;
    return mended_of({{Role::user, "u"}, call, result("a")})[1].tool_calls[0].arguments_json;
  };
  EXPECT_EQ(arguments(""), "{}");
  EXPECT_EQ(arguments(R"({"a":"\ud83d"})"), R"({"a":"\ufffd"})");
  EXPECT_EQ(arguments(R"({"a":)"), R"({"invalid_arguments":"{\"a\":"})");
}

TEST(HistoryReaderTest, IdsThatTheServiceRefusesAreMadeAnewInCallsAndResults) {
  HistoryDemands mistral;
  mistral.id_form = CallIdForm::nine_characters;
  std::vector<std::string> notes;
  const auto mended = mended_of({{Role::user, "u"},
                                 calling({"call_1", "abcdefghi"}),
                                 result("abcdefghi"),
                                 result("call_1"),
                                 calling({"abcdefghi"}),
                                 result("abcdefghi")},
                                mistral, &notes);
  const auto& first = mended[1].tool_calls;
  EXPECT_TRUE(has_form(first[0].id, CallIdForm::nine_characters)) << first[0].id;
  EXPECT_EQ(first[1].id, "abcdefghi");
  EXPECT_EQ(mended[3].tool_call_id, first[0].id);
  EXPECT_NE(mended[4].tool_calls[0].id, "abcdefghi");
  EXPECT_TRUE(has_form(mended[4].tool_calls[0].id, CallIdForm::nine_characters));
  EXPECT_EQ(mended[5].tool_call_id, mended[4].tool_calls[0].id);
  EXPECT_EQ(notes.size(), 2U);
}

ConversationMessage serving(std::vector<std::string> blocks, std::string words = {}) {
  std::vector<ContentPart> parts;
  for (auto& block : blocks) parts.push_back({PartKind::other, "", std::move(block)});
  if (!words.empty()) parts.push_back({PartKind::text, std::move(words), ""});
  return {Role::assistant, std::move(parts)};
}

const char* const server_call = R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})";
const char* const server_result = R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":"T"}]})";

TEST(HistoryReaderTest, ACallOfTheServiceMayHaveItsResultInALaterMessage) {
  HistoryReader reader(HistoryReader::Purpose::check);
  reader.read({{Role::user, "u"}, serving({server_call}), serving({server_result}, "found")});
  EXPECT_TRUE(reader.is_well());
  HistoryReader paused(HistoryReader::Purpose::check);
  paused.read({{Role::user, "u"}, serving({server_call})});
  EXPECT_TRUE(paused.is_well()) << "the turn goes on";
}

TEST(HistoryReaderTest, HalvesOfCallsOfTheServiceAreMended) {
  HistoryReader reader(HistoryReader::Purpose::mend);
  reader.read(
      {{Role::user, "u"}, serving({server_result}, "found"), serving({server_call}, "wait"), {Role::user, "v"}});
  EXPECT_EQ(reader.notes(), (std::vector<std::string>{"message 2: a result of a tool of the service without its call",
                                                      "call \"s\" of a tool of the service: it had no result"}));
  const auto mended = reader.take_mended();
  ASSERT_EQ(mended.size(), 4U);
  EXPECT_EQ(text_of(mended[1]), "found");
  EXPECT_EQ(text_of(mended[2]), "[web_search: no result: interrupted]\nwait");
  const auto lost = reader.take_lost_results();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(text_of(lost[0].result), "T");
}

}  // namespace
}  // namespace ctxmgr
