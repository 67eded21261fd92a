#include "engine/structure/dense_view.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(DenseViewTest, KeepsBlanksInsideStrings) {
  EXPECT_EQ(dense_view(R"({ "a b" : " \" x " , "c" : [ 1 , 2 ] })", ContentFormat::json),
            R"({"a b":" \" x ","c":[1,2]})");
}

TEST(DenseViewTest, KeepsOneJsonValueALine) {
  EXPECT_EQ(dense_view("{\"a\": 1}\n{\"a\": 2}\n", ContentFormat::json), "{\"a\":1}\n{\"a\":2}");
}

TEST(DenseViewTest, CountsRepeatedLines) {
  EXPECT_EQ(dense_view("start\nretrying now\nretrying now\nretrying now\nend\n", ContentFormat::log),
            "start\nretrying now [\u00D73]\nend\n");
}

TEST(DenseViewTest, LeavesTwoEqualLinesAlone) {
  EXPECT_EQ(dense_view("retrying now\nretrying now\nend", ContentFormat::log), "retrying now\nretrying now\nend");
}

TEST(DenseViewTest, LeavesCodeAlone) { EXPECT_EQ(dense_view("a;\n\n\n\nb;\n", ContentFormat::code), "a;\n\n\n\nb;\n"); }

}  // namespace
}  // namespace ctxmgr::engine
