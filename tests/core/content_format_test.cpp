#include "core/content_format.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(ContentFormatTest, TheExtensionDecides) {
  EXPECT_EQ(format_of_name("a/b.report.md"), ContentFormat::markdown);
  EXPECT_EQ(format_of_name("data.json"), ContentFormat::json);
  EXPECT_EQ(format_of_name("fix.patch"), ContentFormat::diff);
  EXPECT_EQ(format_of_name("main.cpp"), ContentFormat::code);
}

TEST(ContentFormatTest, WithoutOneThatIsKnownTheContentDecides) {
  for (const char* name : {"", ".", "README", "archive.xyz", "v1.2"}) {
    EXPECT_EQ(format_of_name(name), ContentFormat::automatic) << name;
  }
}

}  // namespace
}  // namespace ctxmgr
