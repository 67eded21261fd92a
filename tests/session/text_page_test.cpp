#include "session/text_page.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/utf8.hpp"

namespace ctxmgr {
namespace {

const TokenCounter& counter() {
  static const auto approximate = make_approximate_token_counter();
  return *approximate;
}

std::string read_all(const std::string& text, PageUnit unit, std::int64_t max_tokens) {
  std::string joined;
  PageRequest request;
  request.unit = unit;
  for (int i = 0; i < 10'000; ++i) {
    const auto page = cut_page(text, request, max_tokens, counter());
    joined += page.text;
    if (page.is_last) return joined;
    if (unit == PageUnit::lines && !page.ends_line) request.unit = unit = PageUnit::characters;
    request.offset = unit == PageUnit::lines ? page.end_line : page.end_character;
  }
  return "(endless)";
}

TEST(TextPageTest, PagesFollowedByTheirNotesGiveTheWholeText) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += utf8::repair(line) + "東京\n";
    RC_ASSERT(read_all(text, PageUnit::characters, 7) == text);
    RC_ASSERT(read_all(text, PageUnit::lines, 7) == text);
  }));
}

TEST(TextPageTest, NoPageHasMoreTokensThanItMay) {
  const std::string text(100'000, 'x');
  const auto page = cut_page(text, {}, 50, counter());
  EXPECT_LE(counter().count(page.text), 50);
  EXPECT_GE(counter().count(page.text), 48);
  EXPECT_EQ(page.total_characters, 100'000u);
  EXPECT_FALSE(page.is_last);
}

TEST(TextPageTest, OffsetAndLimitCountCharactersOrLines) {
  const std::string text = "äöü\nzwei\ndrei\n";
  EXPECT_EQ(cut_page(text, {PageUnit::characters, 1, 2}, 100, counter()).text, "öü");
  EXPECT_EQ(cut_page(text, {PageUnit::lines, 1, 1}, 100, counter()).text, "zwei\n");
  EXPECT_EQ(cut_page(text, {PageUnit::lines, 1, {}}, 100, counter()).text, "zwei\ndrei\n");
  EXPECT_TRUE(cut_page(text, {PageUnit::lines, 1, {}}, 100, counter()).is_last);
}

TEST(TextPageTest, PastTheEndThereIsNothing) {
  const auto page = cut_page("abc", {PageUnit::characters, 99, {}}, 100, counter());
  EXPECT_TRUE(page.text.empty());
  EXPECT_TRUE(page.is_last);
  EXPECT_TRUE(cut_page("", {}, 100, counter()).is_last);
}

TEST(TextPageTest, EndsAtALineWhereOneIsNear) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "a line of text\n";
  EXPECT_TRUE(cut_page(text, {}, 50, counter()).ends_line);
}

}  // namespace
}  // namespace ctxmgr
