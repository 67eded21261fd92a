#include "media/media.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {
namespace {

// A PNG of 640 x 480, as far as its header, and a WAV of 8 000 samples a second with one byte each.
constexpr auto png_base64 = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk";
constexpr auto wav_base64 = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQ==";
// "%PDF-1.4 /Type /Pages /Count 3 /Type/Page /Type /Page"
constexpr auto pdf_base64 = "JVBERi0xLjQgL1R5cGUgL1BhZ2VzIC9Db3VudCAzIC9UeXBlL1BhZ2UgL1R5cGUgL1BhZ2U=";

Medium medium_in(const std::string& json, PartKind kind = PartKind::image) {
  return medium_of(*parse_json(json), kind);
}

TEST(MediaTest, AnImageIsMeasuredInEveryForm) {
  const std::string data = png_base64;
  for (const auto& json :
       {R"({"type":"image_url","image_url":{"url":"data:image/png;base64,)" + data + R"("}})",
        R"({"type":"input_image","image_url":"data:image/png;base64,)" + data + R"("})",
        R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" + data + R"("}})",
        R"({"type":"image","mimeType":"image/png","data":")" + data + R"("})"}) {
    const auto medium = medium_in(json);
    EXPECT_EQ(medium.width, 640) << json;
    EXPECT_EQ(medium.height, 480) << json;
    EXPECT_EQ(describe(medium), "image 640x480");
  }
}

TEST(MediaTest, WithoutBytesAnImageHasItsAddressOrId) {
  const auto far = medium_in(R"({"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}})");
  EXPECT_EQ(describe(far), "image https://example.com/a.png");
  EXPECT_TRUE(far.is_low);
  EXPECT_EQ(describe(medium_in(R"({"type":"input_image","file_id":"file-1"})")), "image file-1");
  EXPECT_EQ(describe(medium_in(R"({"type":"image"})")), "image");
}

TEST(MediaTest, FilesAndRecordings) {
  const auto report =
      medium_in(R"({"type":"file","file":{"filename":"r.pdf","file_data":"data:application/pdf;base64,)" +
                    std::string(pdf_base64) + R"("}})",
                PartKind::file);
  EXPECT_TRUE(report.is_pdf);
  EXPECT_EQ(describe(report), "file r.pdf, 3 pages");
  const auto sound =
      medium_in(R"({"type":"input_audio","input_audio":{"format":"wav","data":")" + std::string(wav_base64) + R"("}})",
                PartKind::file);
  EXPECT_TRUE(sound.is_audio);
  EXPECT_NEAR(sound.seconds, 42.0 / 8'000, 0.001);
}

TEST(MediaTest, AMediumThatIsCutAnywhereIsMeasuredAllTheSame) {
  for (const std::string_view whole :
       {std::string_view(png_base64), std::string_view(wav_base64), std::string_view(pdf_base64)}) {
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      for (const auto* const broken : {"", "["}) {
        const std::string data = std::string(whole.substr(0, size)) + broken;
        for (const auto& [json, kind] :
             {std::pair(R"({"type":"input_audio","input_audio":{"data":")" + data + R"("}})", PartKind::file),
              std::pair(R"({"type":"image_url","image_url":{"url":"data:image/png;base64,)" + data + R"("}})",
                        PartKind::image),
              std::pair(R"({"type":"file","file":{"file_data":"data:application/pdf;base64,)" + data + R"("}})",
                        PartKind::file)}) {
          EXPECT_GE(medium_in(json, kind).seconds, 0) << json;
        }
      }
    }
  }
}

TEST(MediaTest, WhatTheyCostIsByTheModelsRule) {
  Medium image;
  image.kind = PartKind::image;
  image.width = 1'024;
  image.height = 1'024;
  EXPECT_EQ(cost_of(image, media_rule("gpt-4o")).tokens, 765);
  EXPECT_TRUE(cost_of(image, media_rule("gpt-4o")).is_exact);
  EXPECT_EQ(cost_of(image, media_rule("my-own-model")).tokens, binary_part_tokens);
  EXPECT_FALSE(cost_of(image, media_rule("my-own-model")).is_exact);
  image.width = image.height = 0;
  EXPECT_FALSE(cost_of(image, media_rule("gpt-4o")).is_exact) << "without bytes it is an estimate";
}

TEST(MediaTest, PagesAndSecondsCount) {
  Medium report;
  report.is_pdf = true;
  report.pages = 10;
  EXPECT_EQ(cost_of(report, media_rule("gemini-2.5-pro")).tokens, 2'580);
  EXPECT_GT(cost_of(report, media_rule("claude-sonnet-4-5")).tokens, 30'000);
  Medium sound;
  sound.is_audio = true;
  sound.seconds = 60;
  EXPECT_EQ(cost_of(sound, media_rule("gpt-4o-audio-preview")).tokens, 600);
  EXPECT_EQ(cost_of(sound, media_rule("gemini-2.5-pro")).tokens, 1'920);
}

TEST(MediaTest, WhatIsNotThereIsHarmless) {
  for (const char* const json : {"{}", R"({"type":"image_url","image_url":7})", R"({"source":{"data":"%%%"}})",
                                 R"({"type":"file","file":{"file_data":"data:,"}})", "[]", "7"}) {
    const auto medium = medium_in(json, PartKind::file);
    EXPECT_EQ(cost_of(medium, media_rule("gpt-4o")).tokens == 0, medium.is_text) << json;
  }
}

}  // namespace
}  // namespace ctxmgr
