#include "adapters/bpe/normal_form.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::bpe {
namespace {

TEST(NormalFormTest, Composes) {
  EXPECT_EQ(normal_form_c("e\u0301"), "é");
  EXPECT_EQ(normal_form_c("\u1112\u1161\u11AB"), "한");
}

TEST(NormalFormTest, LeavesTheRestAlone) {
  EXPECT_EQ(normal_form_c(std::string_view("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(normal_form_c("ﬁ²"), "ﬁ²");  // compatibility characters
}

TEST(NormalFormTest, RepairsFirst) {
  EXPECT_EQ(normal_form_c("\xFF"
                          "e\u0301"),
            "\uFFFDé");
}

}  // namespace
}  // namespace ctxmgr::bpe
