#include "core/history/call_ids.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ctxmgr {
namespace {

TEST(CallIdsTest, EachServiceHasItsForm) {
  EXPECT_TRUE(has_form("functions.read:0", CallIdForm::any));
  EXPECT_FALSE(has_form("functions.read:0", CallIdForm::words));
  EXPECT_TRUE(has_form("toolu_01-a", CallIdForm::words));
  EXPECT_TRUE(has_form("a1B2c3D4e", CallIdForm::nine_characters));
  EXPECT_FALSE(has_form("a1B2c3D4", CallIdForm::nine_characters));
  EXPECT_FALSE(has_form("call_1234", CallIdForm::nine_characters));
}

TEST(CallIdsTest, WhatIsMadeHasTheFormAndDiffersByItsNumber) {
  for (const auto form : {CallIdForm::any, CallIdForm::words, CallIdForm::nine_characters}) {
    std::set<std::string> made;
    for (std::size_t number = 1; number <= 500; ++number) {
      const auto id = made_call_id("functions.read:0", number, form);
      EXPECT_TRUE(has_form(id, form)) << id;
      made.insert(id);
    }
    EXPECT_EQ(made.size(), 500U);
  }
  EXPECT_EQ(made_call_id("", 1, CallIdForm::any), "call_1");
  EXPECT_EQ(made_call_id("a", 2, CallIdForm::nine_characters), made_call_id("a", 2, CallIdForm::nine_characters));
}

}  // namespace
}  // namespace ctxmgr
