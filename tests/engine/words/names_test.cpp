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

TEST(NamesTest, APieceOfATimeIsNoName) {
  EXPECT_THAT(names_in("11:02:18.771Z on 10.0.0.25:8080"), ElementsAre("10.0.0.25", "8080"));
}

TEST(NamesTest, LinesInBase64HoldNoNamesIdsAndHashesAre) {
  EXPECT_THAT(names_in("dHoGXJyy2HKDlBKJ/p/zY9tiiYB0Hcn6+Qw3rT5yUiOpAsDfGhJkLzXcVbNm1Q2W3E4R= end_1"),
              ElementsAre("end_1"));
  for (const char* const name :
       {"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "123e4567-e89b-12d3-a456-426614174000",
        "i-0abcd1234ef567890", "AKIAIOSFODNN7EXAMPLE", "nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
        "OrganisationLedgerServiceImplementation2/GetAllOfTheEntriesOfTheYear"})
    EXPECT_EQ(names_in(name).size(), 1U) << name;
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
  EXPECT_EQ(rooted("~/.ssh/config"), "~/.ssh/config");
  EXPECT_EQ(rooted("in /.config/late_fees"), "/.config/late_fees");
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
