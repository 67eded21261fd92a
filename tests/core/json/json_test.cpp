#include "core/json/json.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <rapidcheck.h>

#include <limits>
#include <string>

#include "core/utf8.hpp"
#include "support/sanitizers.hpp"

namespace ctxmgr {
namespace {

std::string message_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? "" : parsed.error().message;
}

template <class Value>
Result<Value> decode(std::string_view text) {
  return decode_json<Value>(parse_json(text).value());
}

TEST(JsonTest, KeepsTheOrderOfKeys) {
  EXPECT_EQ(dump_json(parse_json(R"({"b":1,"a":[true,null,"x"]})").value()), R"({"b":1,"a":[true,null,"x"]})");
}

TEST(JsonTest, TakesSixtyFourLevelsAndNotOneMore) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_EQ(message_of(nested(65)), "more than 64 levels of JSON at line 1, column 65");
  EXPECT_TRUE(parse_json("\"" + nested(100) + "\\\"" + nested(100) + "\""));
}

void* parse_depth_bombs(void* survived) {
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += R"({"a":)";
  *static_cast<bool*>(survived) = !parse_json(objects) && !parse_json(std::string(1'000'000, '[')) &&
                                  parse_json(std::string(64, '[') + std::string(64, ']')).map(dump_json).has_value();
  return nullptr;
}

#if CTXMGR_INSTRUMENTED
constexpr std::size_t small_stack_bytes = 1024 * 1024;  // clang's instrumented dump() takes 9 KiB a level
#else
constexpr std::size_t small_stack_bytes = 128 * 1024;
#endif

TEST(JsonTest, RefusesAMillionLevelsOnASmallStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, small_stack_bytes), 0);
  pthread_t thread;
  bool survived = false;
  ASSERT_EQ(pthread_create(&thread, &attributes, parse_depth_bombs, &survived), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(survived);
}

TEST(JsonTest, SaysWhereTheSyntaxBreaksWithoutQuotingTheText) {
  EXPECT_EQ(message_of("{\"a\": 1,\n \"secret\" 2}"), "malformed JSON at line 2, column 11");
  EXPECT_EQ(message_of(""), "malformed JSON at line 1, column 1");
  EXPECT_EQ(message_of("{} {}"), "malformed JSON at line 1, column 4");
  EXPECT_EQ(message_of("[1e999]"), "number out of range at line 1, column 6");
  EXPECT_EQ(message_of("[\"\xFF\"]"), "invalid UTF-8 at line 1, column 3");
}

TEST(JsonTest, NumbersKeepTheirDigits) {
  for (const char* text :
       {"12345678901234567890123", "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        "1.10", "0.1234567890123456789012345", "1e5", "1E+2", "-0.0", "-0", "100.0", "-9223372036854775809", "1.5",
        "3"}) {
    const auto json = parse_json(text).value();
    EXPECT_EQ(dump_json(json), text);
    EXPECT_TRUE(json.is_number());
    EXPECT_EQ(json, parse_json(text).value());
  }
  EXPECT_EQ(parse_json("1.10").value().real(), 1.1);
  EXPECT_EQ(parse_json("1.10").value(), Json(1.1));
  EXPECT_NE(parse_json("12345678901234567890123").value(), parse_json("12345678901234567890124").value());
  EXPECT_EQ(decode<std::int64_t>("3.00").value(), 3);
}

TEST(JsonTest, RefusesControlCharactersAndNonStandardNumbers) {
  for (const char* bad : {"[\"\x01\"]", "[NaN]", "[Infinity]", "[01]", "[.5]", "[+1]", "[1,]", "{\"a\":1,}", "['a']",
                          "// no\n1", "[", "{\"a\"", "\"abc", "tru"}) {
    EXPECT_FALSE(parse_json(bad)) << bad;
  }
}

TEST(JsonTest, RefusesAKeyThatOccursTwiceAndSaysWhere) {
  EXPECT_EQ(message_of(R"({"a":[0,{"b/c":1,"x":2,"b/c":3}]})"), "duplicate key at /a/1/b~1c");
  EXPECT_EQ(message_of(R"({"a":1,"a":1})"), "duplicate key at /a");
  EXPECT_EQ(message_of(R"([{"\u0000":1,"\u0000":1}])"), "duplicate key at /0/?");
}

TEST(JsonTest, SkipsAByteOrderMarkAndKeepsNulInStrings) {
  EXPECT_TRUE(parse_json("\xEF\xBB\xBF{}"));
  EXPECT_FALSE(parse_json("\xEF\xBB{}"));
  EXPECT_EQ(parse_json(R"(["\u0000"])").value()[0].string(), std::string(1, '\0'));
}

TEST(JsonTest, ReadsAnObjectOfManyKeysInLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text.back() = '}';
  EXPECT_EQ(parse_json(text).value().size(), 200'000U);
}

TEST(JsonTest, TextCutAnywhereIsRefusedWithAnError) {
  const std::string whole = R"({"role":"user","content":[{"type":"text","text":"caf)"
                            "\xC3\xA9 \xF0\x9F\x98\x80"
                            R"(\ud83d\ude00"}],"n":-1.5e3})";
  ASSERT_TRUE(parse_json(whole));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const auto parsed = parse_json(whole.substr(0, cut));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  }
}

TEST(JsonTest, DumpReplacesWhatJsonCannotHold) {
  EXPECT_EQ(dump_json(Json("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(dump_json(Json(std::numeric_limits<double>::quiet_NaN())), "null");
  EXPECT_EQ(dump_json(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(JsonTest, DumpAndParseAreInverseForAnyText) {
  rc::check([](const std::string& bytes) {
    RC_ASSERT(parse_json(dump_json(Json(bytes))).value().string() == utf8::repair(bytes));
  });
}

TEST(JsonTest, AnyBytesGiveAValueOrATypedError) {
  rc::check([] {
    const auto bytes =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\":,\\u0d8e-+.1tfn \n\xC3\xA9")));
    const auto parsed = parse_json(bytes);
    RC_ASSERT(parsed || parsed.error().code == ErrorCode::invalid_argument);
  });
}

TEST(JsonReaderTest, TakesIntegersThatFitAndNothingElse) {
  EXPECT_EQ(decode<std::int64_t>("-9223372036854775808").value(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(decode<std::int64_t>("9223372036854775807").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(decode<std::int64_t>("3.0").value(), 3);
  EXPECT_EQ(decode<std::int64_t>("-0").value(), 0);
  for (const char* bad : {"9223372036854775808", "123456789012345678901234567890", "1e300", "-1e300", "1.5", "1e16",
                          "true", "null", "\"1\"", "[]"}) {
    EXPECT_FALSE(decode<std::int64_t>(bad)) << bad;
  }
}

TEST(JsonReaderTest, ChecksTheRangeOfEveryIntegerType) {
  EXPECT_FALSE(decode<std::size_t>("-1"));
  EXPECT_FALSE(decode<int>("2147483648"));
  EXPECT_EQ(decode<int>("-2147483648").value(), std::numeric_limits<int>::min());
  EXPECT_FALSE(decode<double>("true"));
  EXPECT_FALSE(decode<bool>("1"));
}

TEST(JsonReaderTest, NamesThePlaceAsAJsonPointer) {
  EXPECT_EQ(decode<std::vector<int>>("[1,2,\"x\"]").error().message, "/2: expected an integer, found string");
  JsonReader in;
  std::vector<std::vector<int>> out;
  in.field(parse_json(R"({"rows":[[1],[1,true]]})").value(), "rows", out);
  EXPECT_EQ(std::move(in).finish(0, ErrorCode::bad_data).error().message,
            "/rows/1/1: expected an integer, found boolean");
}

TEST(JsonReaderTest, MissingAndNullFieldsLeaveTheDefault) {
  JsonReader in;
  int kept = 7;
  in.field(parse_json(R"({"a":null})").value(), "a", kept);
  in.field(parse_json(R"({"a":null})").value(), "b", kept);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(kept, 7);
}

TEST(JsonReaderTest, TimesAreTextOrSecondsSince1970WithinTheClocksRange) {
  EXPECT_EQ(decode<Timestamp>("1.5").value(), Timestamp(std::chrono::milliseconds(1500)));
  EXPECT_TRUE(decode<Timestamp>("\"2026-11-20T10:00:00Z\""));
  EXPECT_FALSE(decode<Timestamp>("1e18"));
  EXPECT_FALSE(decode<Timestamp>("\"yesterday\""));
}

TEST(JsonFieldTest, LenientGettersReturnNothingForTheWrongType) {
  const Json json = parse_json(R"({"s":"x","i":3,"d":1.5,"b":true,"n":null})").value();
  EXPECT_EQ(*get_string(json, "s"), "x");
  EXPECT_EQ(get_string(json, "i"), nullptr);
  EXPECT_EQ(get_int(json, "i"), 3);
  EXPECT_EQ(get_int(json, "d"), std::nullopt);
  EXPECT_EQ(get_double(json, "i"), 3.0);
  EXPECT_EQ(get_bool(json, "b"), true);
  EXPECT_EQ(get_bool(json, "n"), std::nullopt);
  EXPECT_EQ(find_field(Json::array(), "s"), nullptr);
}

}  // namespace
}  // namespace ctxmgr
