#include "engine/words/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NamesTest, PathsIdentifiersAndFiguresAreNamesAndWordsAreNot) {
  EXPECT_THAT(names_in("see src/core/utf8.cpp and parse_line, readAll, INV-2024-0042; nothing else"),
              ElementsAre("src/core/utf8.cpp", "parse_line", "readAll", "INV-2024-0042"));
  EXPECT_THAT(names_in("Paris is a Large Town"), IsEmpty());
}

TEST(NamesTest, MarksAtBothEndsAreNotPartOfAName) {
  EXPECT_THAT(names_in("(/etc/hosts). --dry-run, 2024..."), ElementsAre("etc/hosts", "dry-run", "2024"));
  EXPECT_THAT(names_in("... --- /// a1 12."), IsEmpty());
}

TEST(NamesTest, APieceOfANumberWithACommaIsNoName) {
  EXPECT_THAT(names_in("2,226.00 euros, 1.742,50 euros, 3,1415"), IsEmpty());
  EXPECT_THAT(names_in("226.00, 4711, v1.742,50"), ElementsAre("226.00", "4711", "v1.742"));
}

TEST(NamesTest, OfALongPathTheTailIsKept) {
  const auto path = "/srv/" + std::string(80, 'x') + "/one/two/three/record_17.txt";
  EXPECT_THAT(names_in(path), ElementsAre("one/two/three/record_17.txt"));
}

TEST(NamesTest, APathFromTheRootHasItsSlash) {
  const auto rooted = [](std::string_view text) { return std::string(with_root(text, names_in(text).front())); };
  EXPECT_EQ(rooted("/etc/hosts"), "/etc/hosts");
  EXPECT_EQ(rooted("in (/etc/hosts)."), "/etc/hosts");
  EXPECT_EQ(rooted("src/fees.py"), "src/fees.py");
  EXPECT_EQ(rooted("https://example.org/a"), "example.org/a");
  EXPECT_EQ(rooted("./run_all"), "run_all");
}

TEST(NamesTest, ARulerIsNoName) { EXPECT_THAT(names_in("____ test_fees ________ -._/-"), ElementsAre("test_fees")); }

TEST(NamesTest, DataIsNoName) { EXPECT_THAT(names_in(std::string(400, '7')), IsEmpty()); }

TEST(NamesTest, AnyBytesWillDo) { EXPECT_THAT(names_in("\xff\xfe 4711\xff"), ElementsAre("4711")); }

TEST(NamesTest, WordsInCapitalsAreFoundWhole) {
  EXPECT_THAT(capitals_in("How large was LICENSE, or AUTHORS? SQL and MAX_SIZE, Paris, UTF8"),
              ElementsAre("LICENSE", "AUTHORS"));
  EXPECT_THAT(capitals_in("/README/"), ElementsAre("README"));
}

TEST(NamesTest, AnIdentifierHasLettersAndAMarkOrADigitAmongThem) {
  for (const auto* const name : {"src/fees.py", "parse_line", "B07ZD3RC13", "utf8"})
    EXPECT_TRUE(is_identifier(name)) << name;
  for (const auto* const name : {"gluten-free", "40.00", "2024/05", "readAll", ""})
    EXPECT_FALSE(is_identifier(name)) << name;
}

}  // namespace
}  // namespace ctxmgr::engine
