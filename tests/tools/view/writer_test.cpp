#include "view/writer.hpp"

#include <gtest/gtest.h>

namespace ctxpack::view::test {
namespace {

TEST(WriterTest, WordsAreNothingButText) {
  EXPECT_EQ(escaped("<script>alert('x')&\"</script>"), "&lt;script&gt;alert(&#39;x&#39;)&amp;&quot;&lt;/script&gt;");
  EXPECT_EQ(escaped("a\x01"
                    "b\x7F\n"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\n");
  EXPECT_EQ(escaped("שלום ä 𝄞"), "שלום ä 𝄞");
}

TEST(WriterTest, BrokenUtf8CannotSwallowWhatFollows) {
  EXPECT_EQ(escaped("\xC3<"), "\xEF\xBF\xBD&lt;");
  EXPECT_EQ(escaped("\xF0\x9F<b"), "\xEF\xBF\xBD\xEF\xBF\xBD&lt;b");
  EXPECT_EQ(escaped("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(WriterTest, NoNameLooksLikeAnotherOne) {
  EXPECT_EQ(escaped("a\u202Egnp.exe"), "a\uFFFDgnp.exe");
  EXPECT_EQ(escaped("\u2066\u200B\uFEFF\u200F"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\u200D\u20AC"), "\u200D\u20AC");
}

TEST(WriterTest, NamesStandInTheirOwnDirection) {
  EXPECT_EQ(Writer().name("<a>").take(), "<bdi dir=auto>&lt;a&gt;</bdi>");
}

TEST(WriterTest, FiguresAreForPeople) {
  EXPECT_EQ(grouped(1234567), "1\u00A0234\u00A0567");
  EXPECT_EQ(grouped(-1234), "-1\u00A0234");
  EXPECT_EQ(percent(1, 3), "33.3\u00A0%");
  EXPECT_EQ(percent(1, 0), "—");
  EXPECT_EQ(usd(0), "—");
  EXPECT_EQ(usd(1.5), "$1.500");
  EXPECT_EQ(share(1, 4), "25.000%");
  EXPECT_EQ(share(9, 4), "100.000%");
  EXPECT_EQ(share(-1, 4), "0.000%");
}

}  // namespace
}  // namespace ctxpack::view::test
