#include "engine/index/json_records.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

std::string orders(int count, int odd = -1) {
  std::string json = R"({"total": 9, "orders": [)";
  for (int i = 1; i <= count; ++i)
    json += std::string(i > 1 ? ", " : "") + R"({"id": )" + std::to_string(i) + R"(, "status": ")" +
            (i == odd ? "failed" : "ok") + R"(", "name": "Customer )" + std::to_string(i) + "\"}";
  return json + "]}";
}

TEST(JsonRecordsTest, FindsTheElementsOfALongArray) {
  const std::string json = orders(30);
  const auto found = find_json_records(json);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].records.size(), 30U);
  const JsonRecord& second = found[0].records[1];
  EXPECT_EQ(json.substr(second.begin, second.end - second.begin), R"({"id": 2, "status": "ok", "name": "Customer 2"})");
  EXPECT_EQ(second.shape, found[0].records[2].shape);
}

TEST(JsonRecordsTest, DescribesWhatTheRecordsHaveUnderEachKey) {
  EXPECT_EQ(find_json_records(orders(30, 7))[0].statistics,
            "30 records: \"id\" 1 to 30; \"status\" \"ok\" ×29, \"failed\" ×1; \"name\"");
}

TEST(JsonRecordsTest, RareValuesAndRareShapesAreOutliers) {
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += i == 9 ? "{\"a\": \"no\"}\n" : i == 20 ? "{\"b\": 1}\n" : "{\"a\": \"yes\"}\n";
  const auto found = find_json_records(lines);
  ASSERT_EQ(found.size(), 1U);
  for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(found[0].records[r].outlier, r == 9 || r == 20) << r;
}

TEST(JsonRecordsTest, TheOrderOfTheKeysIsNoShape) {
  std::string lines;
  for (int i = 0; i < 6; ++i) lines += i % 2 == 0 ? R"({"a": 1, "b": "x"} )" : R"({"b": "y", "a": 2} )";
  const auto records = find_json_records(lines)[0].records;
  EXPECT_EQ(records[0].shape, records[1].shape);
}

TEST(JsonRecordsTest, AnArrayInsideARecordBelongsToIt) {
  std::string json = "[";
  for (int i = 0; i < 6; ++i) json += R"({"n": [{"x":1},{"x":2},{"x":3},{"x":4},{"x":5},{"x":6}]},)";
  const auto found = find_json_records(json + "{}]");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].records.size(), 7U);
}

TEST(JsonRecordsTest, FewRecordsAndScalarsAreNone) {
  EXPECT_TRUE(find_json_records(orders(3)).empty());
  EXPECT_TRUE(find_json_records("[1, 2, 3, 4, 5, 6, 7, 8, 9]").empty());
  EXPECT_TRUE(find_json_records("").empty());
}

TEST(JsonRecordsTest, DepthCostsNothing) { EXPECT_TRUE(find_json_records(std::string(1 << 20, '[')).empty()); }

RC_GTEST_PROP(JsonRecordsPropertyTest, RecordsOfAnyTextAreAscendingAndDisjoint, ()) {
  const std::string text = *test::any_text();
  std::size_t end = 0;
  for (const JsonRecords& array : find_json_records(text)) {
    RC_ASSERT(array.statistics.find('\n') == std::string::npos);
    for (const JsonRecord& record : array.records) {
      RC_ASSERT(record.begin >= end);
      RC_ASSERT(record.end > record.begin);
      end = record.end;
    }
  }
  RC_ASSERT(end <= text.size());
}

}  // namespace
}  // namespace ctxmgr::engine
