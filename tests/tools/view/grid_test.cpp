#include "view/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace ctxpack::view::test {
namespace {

ctxmgr::ContextUtilizationMetadata receipt() {
  ctxmgr::ContextUtilizationMetadata made;
  made.max_input_tokens = 1'000;
  made.input_tokens_used = 750;
  made.fixed_tokens = 1;
  made.breakdown.artifact_tokens = 249;
  return made;
}

std::string rows_of(const std::string& grid) { return grid.substr(0, grid.find("fixed")); }

TEST(GridTest, CellsAreInProportionAndWhatIsThereHasOne) {
  const auto rows = rows_of(grid(receipt(), {}));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), 'F'), 1 + 1);  // One, and the one of the legend.
  EXPECT_NEAR(static_cast<double>(std::count(rows.begin(), rows.end(), 'E')), 100, 1);
  EXPECT_NEAR(static_cast<double>(std::count(rows.begin(), rows.end(), 'H')), 200, 1);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '.'), 100);
}

TEST(GridTest, OnlyWhatATerminalCanShow) {
  const auto is_ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n'; });
  };
  EXPECT_TRUE(is_ascii(grid(receipt(), {false, false})));
  EXPECT_EQ(grid(receipt(), {false, true}).find('\033'), std::string::npos);
  EXPECT_NE(grid(receipt(), {false, true}).find("▓"), std::string::npos);
  EXPECT_NE(grid(receipt(), {true, false}).find("\033[38;5;"), std::string::npos);
}

TEST(GridTest, AnEmptyWindowIsFree) {
  const auto rows = rows_of(grid({}, {}));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '.'), 400);
}

TEST(GridTest, TheEnvironmentDecides) {
  setenv("NO_COLOR", "", 1);  // No other thread runs here.
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_TRUE(TerminalStyle::from_environment(true).colour);
  EXPECT_TRUE(TerminalStyle::from_environment(true).unicode);
  EXPECT_FALSE(TerminalStyle::from_environment(false).colour);
  setenv("NO_COLOR", "1", 1);
  setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(TerminalStyle::from_environment(true).colour);
  EXPECT_FALSE(TerminalStyle::from_environment(true).unicode);
}

}  // namespace
}  // namespace ctxpack::view::test
