#include "session/json_pointer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

// The example of RFC 6901, section 5, without what needs escapes in C++.
const Json& document() {
  static const Json json =
      parse_json(R"({"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, "01": 9})").value();
  return json;
}

std::string at(std::string_view pointer) {
  const auto* found = at_pointer(document(), pointer);
  return found ? dump_json(*found) : "nothing";
}

TEST(JsonPointerTest, FollowsRfc6901) {
  EXPECT_EQ(at(""), dump_json(document()));
  EXPECT_EQ(at("/foo"), R"(["bar","baz"])");
  EXPECT_EQ(at("/foo/0"), R"("bar")");
  EXPECT_EQ(at("/"), "0");
  EXPECT_EQ(at("/a~1b"), "1");
  EXPECT_EQ(at("/c%d"), "2");
  EXPECT_EQ(at("/m~0n"), "8");
  EXPECT_EQ(at("/01"), "9");
}

TEST(JsonPointerTest, NamesNothingWhereItIsWrong) {
  for (const auto* pointer : {"foo", "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/", "/foo/0/x", "/x", "/m~n",
                              "/m~2n", "/~", "/foo/99999999999999999999"}) {
    EXPECT_EQ(at(pointer), "nothing") << pointer;
  }
}

TEST(JsonPointerTest, TakesAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& pointer) { (void)at_pointer(document(), "/" + pointer); }));
}

}  // namespace
}  // namespace ctxmgr
