#include "ctxmgr/core/message.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(MessageTest, TextIsTheStringItself) { EXPECT_EQ(text_of({Role::user, "What now?"}), "What now?"); }

TEST(MessageTest, TextOfPartsAreItsTextPartsOnLinesOfTheirOwn) {
  ConversationMessage message;
  message.content = std::vector<ContentPart>{
      {PartKind::text, "", ""}, {PartKind::image, "", R"({"type":"image_url"})"}, {PartKind::text, "two", ""}};
  EXPECT_EQ(text_of(message), "\ntwo");
}

TEST(MessageTest, AMessageWithoutContentHasNoText) { EXPECT_EQ(text_of({Role::assistant}), ""); }

}  // namespace
}  // namespace ctxmgr
