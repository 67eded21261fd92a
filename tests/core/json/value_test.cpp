#include "core/json/value.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

TEST(JsonValueTest, BracesAreAnObjectWhereEachEntryIsAPairWithAKeyElseAnArray) {
  EXPECT_EQ(dump_json(Json{{"b", 1}, {"a", {{"x", nullptr}}}}), R"({"b":1,"a":{"x":null}})");
  EXPECT_EQ(dump_json(Json{{1, "b"}, {"a", true}}), R"([[1,"b"],["a",true]])");
  EXPECT_EQ(dump_json(Json::array({"a", 1.5})), R"(["a",1.5])");
  EXPECT_EQ(dump_json(Json{{"keys", std::vector<std::string>{"x", "y"}}}), R"({"keys":["x","y"]})");
  EXPECT_EQ(dump_json(Json{{"a", 1}, {"a", 2}}), R"({"a":1})");
}

TEST(JsonValueTest, AListMovesWhatNobodyElseHolds) {
  std::string text(100, 'x');
  const char* const bytes = text.data();
  const Json json{{"text", std::move(text)}};
  EXPECT_EQ(json["text"].string().data(), bytes);
}

TEST(JsonValueTest, MembersAreAddedInOrderFoundByKeyReplacedAndErased) {
  Json json;
  json["b"] = 1;
  json["a"]["inner"] = "x";
  json["b"] = 2;
  EXPECT_EQ(dump_json(json), R"({"b":2,"a":{"inner":"x"}})");
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_TRUE(std::as_const(json)["c"].is_null());
  json.update(Json{{"c", 3}, {"b", 4}});
  json.erase("a");
  json.erase("missing");
  EXPECT_EQ(dump_json(json), R"({"b":4,"c":3})");
}

TEST(JsonValueTest, ReadingAValueAsWhatItIsNotGivesNothing) {
  const Json text("12");
  EXPECT_EQ(text.integer(), 0);
  EXPECT_EQ(text.real(), 0.0);
  EXPECT_FALSE(text.boolean());
  EXPECT_TRUE(text.members().empty());
  EXPECT_TRUE(text.elements().empty());
  EXPECT_TRUE(Json(12).string().empty());
  EXPECT_EQ(text.begin(), text.end());
}

TEST(JsonValueTest, AppendingMakesAnArrayOfNull) {
  Json json;
  json.push_back(1);
  json.emplace_back(Json::object())["k"] = "v";
  EXPECT_EQ(dump_json(json), R"([1,{"k":"v"}])");
  EXPECT_EQ(json.size(), 2U);
}

TEST(JsonValueTest, IteratesElementsAndTheValuesOfMembers) {
  Json json = parse_json(R"({"a":"x","b":"y"})").value();
  const Json list = parse_json(R"(["z"])").value();
  std::string seen;
  for (const Json& value : json) seen += value.string();
  for (const Json& value : list) seen += value.string();
  EXPECT_EQ(seen, "xyz");
  for (Json& value : json) value = "new";
  EXPECT_EQ(dump_json(json), R"({"a":"new","b":"new"})");
  EXPECT_EQ(Json::object().begin(), Json::object().end());
}

TEST(JsonValueTest, APartOfAValueCanTakeItsPlace) {
  Json json = parse_json(R"([["inner"]])").value();
  json = std::as_const(json)[0];
  EXPECT_EQ(dump_json(json), R"(["inner"])");
  json = std::move(json[0]);
  EXPECT_EQ(json, Json("inner"));
}

TEST(JsonValueTest, AMovedValueIsNull) {
  Json from("text");
  const Json to = std::move(from);
  EXPECT_TRUE(from.is_null());  // NOLINT(bugprone-use-after-move): this is what is tested
  EXPECT_EQ(to.string(), "text");
}

TEST(JsonValueTest, NumbersAreEqualByValueAndOtherwiseKindsDiffer) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(-1), Json(~std::uint64_t{0}));
  EXPECT_NE(Json(1), Json("1"));
  EXPECT_NE(Json(true), Json(1));
  EXPECT_EQ(parse_json(R"({"a":[1,null]})").value(), (Json{{"a", Json::array({1, nullptr})}}));
}

}  // namespace
}  // namespace ctxmgr
