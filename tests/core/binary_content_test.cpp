#include "core/binary_content.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr {
namespace {

TEST(BinaryContentTest, FilesOfProgramsAreBinary) {
  EXPECT_TRUE(is_binary("%PDF-1.7\n1 0 obj"));
  EXPECT_TRUE(is_binary("\x89PNG\r\n\x1a\n"));
  EXPECT_TRUE(is_binary("PK\x03\x04 word/document.xml"));
  EXPECT_TRUE(is_binary(std::string("\xFF\xFEh\0e\0y\0", 8))) << "UTF-16";
  EXPECT_TRUE(is_binary(std::string("h\0e\0y\0", 6))) << "UTF-16 without its mark";
  EXPECT_TRUE(is_binary(std::string("\x01\x02\xF0\x00\x90\xFF", 6)));
}

TEST(BinaryContentTest, TextIsNot) {
  EXPECT_FALSE(is_binary(""));
  EXPECT_FALSE(is_binary("caf\xE9 au lait")) << "Latin-1";
  EXPECT_FALSE(is_binary("\x1b[31mred\x1b[0m\r\n"));
  EXPECT_FALSE(
      is_binary("a log with one zero byte" + std::string(1, '\0') + " in it, which a terminal shows as nothing"));
  std::string long_text(8'191, 'x');
  EXPECT_FALSE(is_binary(long_text + "\xC3\xA9" + std::string(1, '\0')));
}

}  // namespace
}  // namespace ctxmgr
