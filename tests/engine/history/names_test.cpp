#include "engine/history/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "label=name" of a text, in order.
std::vector<std::string> names_of(std::string_view text) {
  std::vector<Name> names;
  find_names(text, names);
  std::vector<std::string> out;
  for (const Name& name : names) {
    const std::string label(name.label);
    out.push_back((label.empty() ? label : label + "=") + std::string(name.text));
  }
  return out;
}

TEST(NamesTest, FilesArePathsOrHaveAnEnding) {
  EXPECT_THAT(names_of("see src/core/utf8.cpp, /etc/hosts and README.md."),
              ElementsAre("src/core/utf8.cpp", "/etc/hosts", "README.md"));
  EXPECT_THAT(names_of("--- a/lib/fees.py"), ElementsAre("lib/fees.py"));
  EXPECT_THAT(names_of("lib/fees.py:12: error"), ElementsAre("lib/fees.py"));
}

TEST(NamesTest, AddressesAreWhole) {
  EXPECT_THAT(names_of("at https://example.org/a?b=1, or ada@example.org."),
              ElementsAre("https://example.org/a?b=1", "ada@example.org"));
}

TEST(NamesTest, IdentifiersHaveAnUnderscoreOrCamelCase) {
  EXPECT_THAT(names_of("call parse_line or self.readAll() of it"), ElementsAre("parse_line", "readAll"));
}

TEST(NamesTest, CodesAreIdsVersionsDatesAndLongNumbers) {
  EXPECT_THAT(names_of("#W6750959 5f3a9c1 INV-2024-0042 2026-11-22 1.4.2 10442"),
              ElementsAre("W6750959", "5f3a9c1", "INV-2024-0042", "2026-11-22", "1.4.2", "10442"));
}

TEST(NamesTest, CodesAndFiguresHaveTheirLabels) {
  EXPECT_THAT(names_of(R"({"item_id": "3254583681", "price": 258.97})"),
              ElementsAre("item_id", "item_id=3254583681", "price=258.97"));
  EXPECT_THAT(names_of("Monthly budget: $1,500.50 a head\nrate = 12%"),
              ElementsAre("Monthly budget=1,500.50", "rate=12%"));
}

TEST(NamesTest, PlainWordsAndNumbersWithoutALabelAreNone) {
  EXPECT_THAT(names_of("The 3 invoices and/or bills came to 300 by 10, i.e. 3.5 each."), IsEmpty());
  EXPECT_THAT(names_of("cat > /dev/null"), IsEmpty());
}

TEST(NamesTest, AnyBytesWillDo) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>((i * 131 + i / 7) % 256);
  std::vector<Name> names;
  find_names(text, names);
  for (const Name& name : names) EXPECT_NE(text.find(name.text), std::string::npos);
}

TEST(NamesTest, ANameStandsAloneOrNotAtAll) {
  EXPECT_TRUE(stands_in("a_key", "x.a_key()"));
  EXPECT_TRUE(stands_in("a_key", "my_a_key a_key"));
  EXPECT_FALSE(stands_in("a_key", "a_keys"));
}

TEST(NamesTest, TagsAreNone) { EXPECT_THAT(names_of("<warning>\nto see\n</warning></output>"), IsEmpty()); }

/// Those that say little where they stand.
std::vector<std::string> fillers_of(std::string_view text) {
  std::vector<Name> names;
  find_names(text, names);
  std::vector<std::string> out;
  for (const Name& name : names)
    if (name.kind == NameKind::filler) out.emplace_back(name.text);
  return out;
}

TEST(NamesTest, SizesAndYearsOfAListingAreFiller) {
  EXPECT_THAT(fillers_of("total 1234\n-rw-r--r-- 1 root root 41788 Nov 22  2026 fees.toml\nport 8080"),
              ElementsAre("41788", "2026"));
}

TEST(NamesTest, OfLinesOneAfterTheOtherTheFirstAndTheLastNumberSayWhere) {
  EXPECT_THAT(fillers_of("  1001\ta\n  1002\tb\n  1003\tc\n  1004\td"), ElementsAre("1002", "1003"));
  EXPECT_THAT(names_of("1001: a\n1002: b\n1003: c"), ElementsAre("1001", "1002", "1003"));
  EXPECT_THAT(fillers_of("1001: a\n1044: b\n1100: c"), IsEmpty());
}

}  // namespace
}  // namespace ctxmgr::engine
