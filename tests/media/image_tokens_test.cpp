#include "media/image_tokens.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

std::int64_t tokens(const char* model, std::int64_t width, std::int64_t height, bool low = false) {
  return image_tokens(image_rule(model), width, height, low);
}

TEST(ImageTokensTest, TheProvidersOwnExamples) {
  // OpenAI, "Images and vision".
  EXPECT_EQ(tokens("gpt-4o", 1'024, 1'024), 765);
  EXPECT_EQ(tokens("gpt-4o", 2'048, 4'096), 1'105);
  EXPECT_EQ(tokens("gpt-4o", 4'096, 8'192, true), 85);
  EXPECT_EQ(tokens("o4-mini", 1'024, 1'024), 1'762);  // 1,024 patches at 1.72
  EXPECT_EQ(image_tokens({ImageRule::Kind::patches, 0, 0, 1, 1'536, 0}, 1'800, 2'400), 1'452);
  // Google, "Image understanding".
  EXPECT_EQ(tokens("gemini-2.5-flash", 384, 384), 258);
  EXPECT_EQ(tokens("gemini-2.5-flash", 960, 540), 1'548);
  // Anthropic, "Vision": blocks of 28 pixels.
  EXPECT_EQ(tokens("claude-sonnet-4-5", 280, 560), 200);
}

TEST(ImageTokensTest, VersionsAndProvidersInTheNameDoNotMatter) {
  EXPECT_EQ(tokens("openai/gpt-4o-2024-08-06", 512, 512), 255);
  EXPECT_EQ(tokens("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 280, 560), 200);
  EXPECT_EQ(tokens("gpt-4o-mini", 512, 512), 2'833 + 5'667) << "the longer prefix counts";
}

TEST(ImageTokensTest, LargeImagesAreScaledBeforeTheyAreCounted) {
  EXPECT_LE(tokens("claude-sonnet-4-5", 8'000, 8'000), 1'568);
  EXPECT_LE(tokens("claude-opus-4-7", 8'000, 8'000), 4'784);
  EXPECT_GT(tokens("claude-opus-4-7", 8'000, 8'000), 1'568);
  EXPECT_LE(tokens("gpt-5-mini", 8'000, 10), 2'489);
}

TEST(ImageTokensTest, WithoutASizeTheyCountAsLargeOnes) {
  for (const char* model : {"gpt-4o", "o4-mini", "claude-sonnet-4-5", "claude-opus-4-7", "gemini-2.5-pro"}) {
    EXPECT_GE(tokens(model, 0, 0), tokens(model, 1'920, 1'080)) << model;
  }
  EXPECT_EQ(tokens("gemini-3-pro", 0, 0), 1'120);
  EXPECT_EQ(image_rule("llama3.1").kind, ImageRule::Kind::unknown);
}

TEST(ImageTokensTest, AnySizeCostsSomethingAndNoMoreThanTheMost) {
  EXPECT_TRUE(rc::check([] {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 20'000);
    const auto height = *rc::gen::inRange<std::int64_t>(1, 20'000);
    for (const char* model : {"gpt-4o", "gpt-5-mini", "o4-mini", "claude-sonnet-4-5", "claude-opus-5"}) {
      RC_ASSERT(tokens(model, width, height) > 0);
      RC_ASSERT(tokens(model, width, height) <= tokens(model, 0, 0));
      RC_ASSERT(tokens(model, width, height) == tokens(model, height, width));
    }
  }));
}

}  // namespace
}  // namespace ctxmgr
