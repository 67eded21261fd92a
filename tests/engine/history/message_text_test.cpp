#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/history/message_parts.hpp"
#include "engine/index/item_analysis.hpp"

namespace ctxmgr::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ConversationMessage message_of(Role role, const std::string& said, const std::string& part_json,
                               PartKind kind = PartKind::other) {
  ConversationMessage message{role};
  message.content = std::vector<ContentPart>{{PartKind::text, said, {}}, {kind, {}, part_json}};
  return message;
}

const std::string memo = R"({"type":"document","title":"memo.txt","source":{"type":"text","data":"Gate 7 is shut."}})";

ConversationMessage writes(const std::string& arguments_json) {
  ConversationMessage message{Role::assistant};
  message.tool_calls = {{"c1", "write_file", arguments_json}};
  return message;
}

TEST(MessageTextTest, WordsOfOtherPartsStandUnderALineThatNamesThem) {
  EXPECT_EQ(render_message(message_of(Role::user, "Keep it.", memo, PartKind::file)),
            "user: Keep it.\n[document memo.txt]\nGate 7 is shut.");
  EXPECT_EQ(all_text_of(message_of(Role::user, "Keep it.", memo, PartKind::file)),
            "Keep it.\n[document memo.txt]\nGate 7 is shut.");
}

TEST(MessageTextTest, WhatSaysNothingToAReaderIsNoText) {
  for (const auto* const part :
       {R"({"type":"thinking","thinking":"carry the one","signature":"c2ln"})",
        R"({"type":"compaction","content":"all of it"})",
        R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjc="}})",
        R"({"type":"web_search_result","encrypted_content":"c2VhbGVk"})"})
    EXPECT_EQ(all_text_of(message_of(Role::assistant, "Done.", part)), "Done.") << part;
}

TEST(MessageTextTest, WhatACallWritesIsReadLineByLineUnderItsPath) {
  EXPECT_EQ(render_message(writes(R"({"path":"fees.py","content":"def fee():\n    return 7\n"})")),
            "assistant: \n[write_file fees.py content]\ndef fee():\n    return 7\n\n"
            "[call write_file({\"path\":\"fees.py\",\"content\":\"…\"})]");
  EXPECT_FALSE(is_bare_call(writes(R"({"path":"fees.py","content":"def fee():\n    return 7\n"})")));
}

TEST(MessageTextTest, ACallWithShortArgumentsIsALine) {
  EXPECT_EQ(render_message(writes(R"({"path":"fees.py"})")), R"(assistant: 
[call write_file({"path":"fees.py"})])");
  EXPECT_TRUE(is_bare_call(writes(R"({"path":"fees.py"})")));
}

TEST(MessageTextTest, APieceOfAPartIsNamedAndNoVoiceOfTheUser) {
  const auto message = message_of(Role::user, "Keep it.", memo, PartKind::file);
  const auto text = render_message(message);
  const auto at = text.find("is shut.");
  EXPECT_EQ(quoted(message, {{at, 8}}), "user: … [document memo.txt]\n…\nis shut.");
  EXPECT_EQ(quoted(message, {{at, 800}}), std::nullopt);
}

TEST(MessageTextTest, TheNameOfAPartIsTheHeadingOfItsPieces) {
  const auto text = read_message(message_of(Role::user, "Keep it.", memo, PartKind::file));
  ItemText item;
  item.text = text.text;
  item.sections = text.sections;
  item.label_bytes = 6;
  item.speaker = Speaker::user;
  TermAnalyzer analyzer;
  const auto analysis = analyze_item(item, analyzer);
  ASSERT_EQ(analysis.atoms.size(), 3U);
  EXPECT_EQ(analysis.atoms[1].kind, AtomKind::heading);
  EXPECT_EQ(analysis.atoms[2].heading, 1U);
}

TEST(MessageTextTest, AnExtractOfAResultStandsForItsPartsWithWords) {
  auto result = message_of(Role::tool, "Found:", memo, PartKind::file);
  std::get<std::vector<ContentPart>>(result.content).push_back({PartKind::image, {}, R"({"type":"image"})"});
  const auto rest = std::get<std::vector<ContentPart>>(without_words(result).content);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[1].kind, PartKind::image);
}

TEST(MessageTextTest, APartThatGoesIsNamed) {
  EXPECT_EQ(parts_left_out(message_of(Role::user, "Keep it.", memo, PartKind::file)), "[left out: document memo.txt]");
}

}  // namespace
}  // namespace ctxmgr::engine
