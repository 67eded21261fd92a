#include "media/image_size.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

using namespace std::string_literals;

std::string described(std::string_view bytes) {
  const auto size = image_size(bytes);
  return size ? std::to_string(size->width) + "x" + std::to_string(size->height) : "none";
}

// The first bytes of files of 300 x 200 pixels.
const std::string png = "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\x01\x2C\0\0\0\xC8\x08\x02"s;
const std::string gif = "GIF89a\x2C\x01\xC8\x00"s;
const std::string jpeg =
    "\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xFF\xE1\0\x06XXXX\xFF\xC2\0\x11\x08\0\xC8\x01\x2C\x03\x01\x22"s;
const std::string lossy = "RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9D\x01\x2A\x2C\x01\xC8\0\x01\x40"s;
const std::string lossless = "RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2F\x2B\xC1\x31\0 more bytes"s;
const std::string extended = "RIFF\x24\0\0\0WEBPVP8X\x0A\0\0\0\x10\0\0\0\x2B\x01\0\xC7\0\0"s;

TEST(ImageSizeTest, HeadersOfAllFormats) {
  for (const auto& file : {png, gif, jpeg, lossy, lossless, extended}) EXPECT_EQ(described(file), "300x200");
}

TEST(ImageSizeTest, WhatIsNoImageHasNoSize) {
  for (const auto& file : {""s, "plain text"s, "%PDF-1.7"s, "\x89PNG\r\n\x1A\n"s, "\xFF\xD8\xFF\xE0\0\0"s})
    EXPECT_EQ(described(file), "none");
  EXPECT_EQ(described("GIF89a\0\0\0\0"s), "none") << "no pixels";
}

TEST(ImageSizeTest, AFileThatIsCutOffIsHarmless) {
  for (const auto& file : {png, gif, jpeg, lossy, lossless, extended}) {
    for (std::size_t cut = 0; cut < file.size(); ++cut) {
      const auto size = described(std::string_view(file).substr(0, cut));
      EXPECT_TRUE(size == "none" || size == "300x200" || size.find('x') != std::string::npos);
    }
  }
}

TEST(ImageSizeTest, BytesOfAnyKindAreHarmless) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    for (const auto& start : {png.substr(0, 8), jpeg.substr(0, 4), std::string("RIFFxxxxWEBPVP8L")}) {
      const auto size = image_size(start + bytes);
      RC_ASSERT(!size || (size->width > 0 && size->height > 0));
    }
  }));
}

TEST(ImageSizeTest, Base64IsDecodedAsFarAsItGoes) {
  EXPECT_EQ(decode_base64("aGVsbG8gd29ybGQ=", 100), "hello world");
  EXPECT_EQ(decode_base64("aGVsbG8gd29ybGQ=", 5), "hello");
  EXPECT_EQ(decode_base64("aGVs\r\n bG8", 100), "hello") << "lines may be broken";
  EXPECT_EQ(decode_base64("aGVs%bG8", 100), "hel");
  EXPECT_EQ(decode_base64("-_-_", 100), decode_base64("+/+/", 100));
  EXPECT_EQ(decode_base64("", 100), "");
}

}  // namespace
}  // namespace ctxmgr
