#include "engine/structure/case_folding.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(CaseFoldingTest, LettersOfAnyScriptAreFolded) {
  EXPECT_EQ(fold_case("ÜBER Straße ΣΊΣΥΦΟΣ"), fold_case("über STRASSE σίσυφος"));
}

TEST(CaseFoldingTest, ALetterAndItsMarkAreOne) { EXPECT_EQ(fold_case("E\u0301"), "\u00E9"); }

TEST(CaseFoldingTest, WhatIsNoUtf8IsRepaired) { EXPECT_EQ(fold_case("A\xFF"), "a\uFFFD"); }

}  // namespace
}  // namespace ctxmgr::engine
