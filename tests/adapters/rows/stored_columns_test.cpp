#include "adapters/rows/stored_columns.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ctxmgr::conversation {
namespace {

using std::string_literals::operator""s;

RC_GTEST_PROP(StoredTextTest, AnyBytesComeBackAndAreTextForADatabase, (const std::string& bytes)) {
  const std::string stored = to_stored_text(bytes);
  RC_ASSERT(from_stored_text(stored) == bytes);
  RC_ASSERT(stored.find('\0') == std::string::npos);
}

TEST(StoredTextTest, ReadableTextStaysReadable) {
  EXPECT_EQ(to_stored_text("Grüße 漢字 'x'"), "Grüße 漢字 'x'");
  EXPECT_EQ(to_stored_text("a\0b"s), "hex:610062");
  EXPECT_EQ(to_stored_text("\xff"), "hex:ff");
  EXPECT_EQ(from_stored_text(to_stored_text("hex:zz")), "hex:zz");
}

TEST(StoredTextTest, DamagedHexIsBadData) {
  for (const auto* damaged : {"hex:6", "hex:6g", "hex:+1"}) {
    EXPECT_EQ(from_stored_text(damaged).error().code, ErrorCode::bad_data) << damaged;
  }
}

TEST(HexTest, SortsAsBytesDo) {
  EXPECT_LT(to_hex("a"), to_hex("a\0"s));
  EXPECT_LT(to_hex("\x7f"), to_hex("\x80"));
  EXPECT_LT(to_hex("ab\xff"), to_hex("ab") + "g");
}

TEST(TimeTest, IsWholeMillisecondsRoundedDown) {
  EXPECT_EQ(to_ms(Timestamp(std::chrono::microseconds(-1))), -1);
  EXPECT_EQ(to_ms(from_ms(1'234)), 1'234);
}

TEST(ConversationStatusTest, NamesComeBackAndOthersAreBadData) {
  for (const auto status : {ConversationStatus::active, ConversationStatus::archived})
    EXPECT_EQ(status_of(name_of(status)), status);
  EXPECT_EQ(status_of("").error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::conversation
