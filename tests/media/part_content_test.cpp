#include "media/part_content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

const auto an_image = Field(&Medium::kind, PartKind::image);
const auto a_file = Field(&Medium::kind, PartKind::file);

PartContent content_in(const std::string& part) {
  const auto message = from_json<ConversationMessage>(R"({"role":"user","content":[)" + part + "]}");
  EXPECT_TRUE(message) << message.error().message;
  return content_of(std::get<std::vector<ContentPart>>(message->content).at(0));
}

TEST(PartContentTest, WordsAreFoundWhereverTheyStand) {
  EXPECT_THAT(content_in(R"({"type":"thinking","thinking":"carry the one","signature":"c2ln"})").text,
              HasSubstr("carry the one"));
  EXPECT_THAT(
      content_in(R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":"Harbour fees"}]})").text,
      HasSubstr("Harbour fees"));
  EXPECT_THAT(
      content_in(R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"whole book"}})").text,
      HasSubstr("whole book"));
  EXPECT_THAT(content_in(R"({"type":"server_tool_use","name":"f","input":{"n":1234}})").text, HasSubstr("1234"));
}

TEST(PartContentTest, MediaAreFoundInsideOfOtherParts) {
  EXPECT_THAT(content_in(R"({"type":"image_url","image_url":{"url":"u"}})").media, ElementsAre(an_image));
  EXPECT_THAT(content_in(R"({"type":"file","file":{"file_id":"f"}})").media, ElementsAre(a_file));
  const auto document = content_in(R"({"type":"document","title":"Lease","source":{"type":"base64","data":"AAAA"}})");
  EXPECT_THAT(document.media, ElementsAre(a_file));
  EXPECT_THAT(document.text, HasSubstr("Lease"));
  const auto several = content_in(R"({"type":"document","source":{"type":"content","content":[
      {"type":"text","text":"see"},{"type":"image","source":{"type":"base64","data":"AAAA"}}]}})");
  EXPECT_THAT(several.media, ElementsAre(an_image));
  EXPECT_THAT(several.text, HasSubstr("see"));
}

TEST(PartContentTest, WhatNobodyReadsIsNotText) {
  const std::string blob(600, 'A');
  EXPECT_THAT(content_in(R"({"type":"redacted_thinking","data":")" + blob + "\"}").text, Not(HasSubstr("AAAA")));
  EXPECT_THAT(content_in(R"({"type":"thinking","thinking":"x","signature":"shortsig"})").text,
              Not(HasSubstr("shortsig")));
  EXPECT_THAT(content_in(R"({"type":"odd","words":")" + blob + " b\"}").text, HasSubstr("AAAA"));
}

TEST(PartContentTest, APartThatIsNoJsonIsAFile) {
  EXPECT_THAT(content_of({PartKind::other, "", "broken"}).media, ElementsAre(a_file));
  EXPECT_THAT(content_of({PartKind::image, "", "broken"}).media, ElementsAre(an_image));
  EXPECT_EQ(content_of({PartKind::text, "words", ""}).text, "words");
}

}  // namespace
}  // namespace ctxmgr
