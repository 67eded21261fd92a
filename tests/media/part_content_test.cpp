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

TEST(PartContentTest, WhatIsSealedIsSaidByItsFieldAndEstimated) {
  const std::string blob(1'600, 'A');
  for (const std::string& part : {R"({"type":"redacted_thinking","data":")" + blob + "\"}",
                                  R"({"type":"thinking","thinking":"x","signature":")" + blob + "\"}",
                                  R"({"type":"reasoning","summary":[],"encrypted_content":")" + blob + "\"}"}) {
    const auto content = content_in(part);
    EXPECT_THAT(content.text, Not(HasSubstr("AAAA"))) << part;
    EXPECT_EQ(content.sealed_tokens, 300) << part;
  }
  EXPECT_THAT(content_in(R"({"type":"thinking","thinking":"x","signature":"int f(std::string);"})").text,
              HasSubstr("int f(std::string);"))
      << "what is no base64 is not sealed";
}

TEST(PartContentTest, WhateverATextLooksLikeItIsText) {
  const std::string blob(600, 'A');
  for (const std::string& part : {R"({"type":"mcp_call","output":")" + blob + "\"}",
                                  R"({"type":"shell_call_output","output":[{"stdout":")" + blob + "\"}]}",
                                  R"({"type":"document","source":{"type":"text","data":")" + blob + "\"}}"}) {
    const auto content = content_in(part);
    EXPECT_THAT(content.text, HasSubstr(blob)) << part;
    EXPECT_EQ(content.sealed_tokens, 0) << part;
  }
}

TEST(PartContentTest, WordsBesideTheBytesOfAMediumAreText) {
  const auto audio =
      content_in(R"({"type":"input_audio","input_audio":{"data":"AAAA","format":"wav","transcript":"ahoy there"}})");
  EXPECT_THAT(audio.media, ElementsAre(a_file));
  EXPECT_THAT(audio.text, HasSubstr("ahoy there"));
  EXPECT_THAT(audio.text, Not(HasSubstr("AAAA")));
  const auto file = content_in(R"({"type":"file","file":{"filename":"a long name.pdf","file_data":"JVBERi0xLjQ="}})");
  EXPECT_THAT(file.text, HasSubstr("a long name.pdf"));
  const auto image = content_in(
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"},"alt":["a crane"]})");
  EXPECT_THAT(image.media, ElementsAre(an_image));
  EXPECT_EQ(image.text, "alt a crane\n");
  EXPECT_THAT(
      content_in(R"({"type":"image_url","image_url":{"url":"u"},"detail":")" + std::string(600, 'x') + "\"}").text,
      HasSubstr("xxx"))
      << "no word of the form is as long";
}

TEST(PartContentTest, AGeneratedImageAndAResourceAreMedia) {
  const auto made =
      content_in(R"({"type":"image_generation_call","id":"ig_1","result":"AAAA","revised_prompt":"a crane"})");
  EXPECT_THAT(made.media, ElementsAre(an_image));
  EXPECT_THAT(made.text, HasSubstr("a crane"));
  EXPECT_THAT(made.text, Not(HasSubstr("AAAA")));
  const auto resource =
      content_in(R"({"type":"resource","resource":{"uri":"a://b","mimeType":"image/png","blob":"AAAA"}})");
  EXPECT_THAT(resource.media, ElementsAre(an_image));
  EXPECT_THAT(content_in(R"({"type":"resource","resource":{"uri":"a://b","text":"tide table"}})").text,
              HasSubstr("tide table"));
}

TEST(PartContentTest, AFileOfTextCountsAsItsText) {
  for (const char* const part :
       {R"({"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,dGlkZSB0YWJsZSBvZiBNYXk="}})",
        R"({"type":"input_file","filename":"a.txt","file_data":"dGlkZSB0YWJsZSBvZiBNYXk="})",
        R"({"type":"document","source":{"type":"base64","media_type":"text/plain","data":"dGlkZSB0YWJsZSBvZiBNYXk="}})",
        R"({"type":"input_file","filename":"a.txt","file_data":"tide table of May, as it stands"})"}) {
    const auto content = content_in(part);
    EXPECT_THAT(content.text, HasSubstr("tide table of May")) << part;
    ASSERT_EQ(content.media.size(), 1U) << part;
    EXPECT_TRUE(content.media.front().is_text) << part;
  }
  EXPECT_FALSE(content_in(R"({"type":"file","file":{"file_data":"JVBERi0xLjQ="}})").media.front().is_text);
  EXPECT_FALSE(content_in(R"({"type":"file","file":{"file_data":"UEsDBBQAAAAIAA=="}})").media.front().is_text);
}

TEST(PartContentTest, APartThatIsNoJsonIsAFile) {
  EXPECT_THAT(content_of({PartKind::other, "", "broken"}).media, ElementsAre(a_file));
  EXPECT_THAT(content_of({PartKind::image, "", "broken"}).media, ElementsAre(an_image));
  EXPECT_EQ(content_of({PartKind::text, "words", ""}).text, "words");
}

}  // namespace
}  // namespace ctxmgr
