#include "adapters/bpe/ascii_block.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::bpe {
namespace {

TEST(AsciiBlockTest, TellsWhichBytesAreOfAKind) {
  const PortableBlock block("aZ \n\r\t\v09é_zA`[");
  EXPECT_EQ(block.lower(), 0b0001'0000'0000'0001U);
  EXPECT_EQ(block.upper(), 0b0010'0000'0000'0010U);
  EXPECT_EQ(block.spaces(), 0b0111'1100U);
  EXPECT_EQ(block.newlines(), 0b0001'1000U);
}

TEST(AsciiBlockTest, BothImplementationsAgreeOnEveryByteInEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 16; ++place) {
      std::string text(16, 'x');
      text[place] = static_cast<char>(byte);
      const PortableBlock portable(text.data());
      const AsciiBlock used(text.data());
      EXPECT_EQ(used.lower(), portable.lower());
      EXPECT_EQ(used.upper(), portable.upper());
      EXPECT_EQ(used.spaces(), portable.spaces());
      EXPECT_EQ(used.newlines(), portable.newlines());
    }
  }
}

}  // namespace
}  // namespace ctxmgr::bpe
