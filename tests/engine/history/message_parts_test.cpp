#include "engine/history/message_parts.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

ContentPart image() { return {PartKind::image, {}, R"({"type":"image_url","image_url":{"url":"data:,x"}})"}; }
ContentPart file() { return {PartKind::file, {}, R"({"type":"file","file":{"file_id":"f"}})"}; }

ConversationMessage with_parts(std::vector<ContentPart> parts) { return {Role::user, std::move(parts)}; }

TEST(MessagePartsTest, AnotherTextLeavesImagesAndFilesWhereTheyAre) {
  const auto message =
      with_text(with_parts({{PartKind::text, "one", {}}, image(), {PartKind::text, "two", {}}, file()}), "shorter");
  const auto& parts = std::get<std::vector<ContentPart>>(message.content);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].text, "shorter");
  EXPECT_EQ(parts[1].json, image().json);
  EXPECT_EQ(parts[2].json, file().json);
}

TEST(MessagePartsTest, PlainTextStaysPlainText) {
  EXPECT_EQ(std::get<std::string>(with_text({Role::user, "long"}, "short").content), "short");
  EXPECT_EQ(std::get<std::string>(with_text(with_parts({{PartKind::text, "long", {}}}), "short").content), "short");
}

TEST(MessagePartsTest, WhatGoesIsNamed) {
  EXPECT_EQ(parts_left_out({Role::user, "text"}), "");
  EXPECT_EQ(parts_left_out(with_parts({{PartKind::text, "text", {}}})), "");
  EXPECT_EQ(parts_left_out(with_parts({image()})), "[left out: image]");
  EXPECT_EQ(parts_left_out(with_parts({image(), file(), image(), {PartKind::other, {}, R"({"type":"new"})"}})),
            "[left out: image; file f; image; 1 other part]");
}

TEST(MessagePartsTest, TheOldestMediaGoFirstAndLeaveTheirNames) {
  const auto message = with_parts({image(), {PartKind::text, "between", {}}, file(), image()});
  const auto texts = [&](std::size_t count) {
    std::string all;
    const auto left = without_media(message, count);
    for (const auto& part : std::get<std::vector<ContentPart>>(left.content))
      all += part.kind == PartKind::text ? part.text : "<" + std::to_string(static_cast<int>(part.kind)) + ">";
    return all;
  };
  EXPECT_EQ(texts(0), "<1>between<2><1>");
  EXPECT_EQ(texts(2), "[left out: image]between[left out: file f]<1>");
  EXPECT_EQ(texts(9), "[left out: image]between[left out: file f][left out: image]");
}

TEST(MessagePartsTest, ATextAloneNamesWhatItWasBeside) {
  const auto text = [](const ConversationMessage& message) { return std::get<std::string>(message.content); };
  EXPECT_EQ(text(with_text_alone(with_parts({{PartKind::text, "long", {}}, image()}), "short")),
            "short\n[left out: image]");
  EXPECT_EQ(text(with_text_alone(with_parts({image()}), "")), "[left out: image]");
  EXPECT_EQ(text(with_text_alone({Role::user, "long"}, "short")), "short");
}

}  // namespace
}  // namespace ctxmgr::engine
