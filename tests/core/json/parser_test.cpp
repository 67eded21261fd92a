#include "core/json/parser.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

/// Writes down what it is told.
class Told : public JsonEvents {
 public:
  std::string text{};
  bool null() override { return add("null"); }
  bool boolean(bool value) override { return add(value ? "true" : "false"); }
  bool integer(std::int64_t value) override { return add("i" + std::to_string(value)); }
  bool unsigned_integer(std::uint64_t value) override { return add("u" + std::to_string(value)); }
  bool real(double value, std::string_view) override { return add("r" + json_number(value)); }
  bool string(std::string& value) override { return add("'" + value + "'"); }
  bool key(std::string& value) override { return add(value + ":"); }
  bool begin(char bracket) override { return add(std::string(1, bracket)); }
  bool end(char bracket) override { return add(bracket == '{' ? "}" : "]"); }

 private:
  bool add(const std::string& what) {
    text += (text.empty() ? "" : " ") + what;
    return what != "'stop'";
  }
};

TEST(JsonParserTest, TellsWhatATextHoldsInItsOrder) {
  Told told;
  EXPECT_FALSE(
      parse_events(R"( {"a": [1, -2, 2.5e3, 18446744073709551616], "b": {"\u00e9\ud83d\ude00": "x\n"}} )", told));
  EXPECT_EQ(told.text, "{ a: [ u1 i-2 r2500.0 r1.8446744073709552e+19 ] b: { \xC3\xA9\xF0\x9F\x98\x80: 'x\n' } }");
}

TEST(JsonParserTest, StopsWhereItIsToldTo) {
  Told told;
  const auto fault = parse_events(R"(["a", "stop", "b"])", told);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, JsonFault::Kind::stopped);
  EXPECT_EQ(told.text, "[ 'a' 'stop'");
}

TEST(JsonParserTest, NeedsNoStackForDepth) {
  Told told;
  EXPECT_FALSE(parse_events(std::string(100'000, '[') + std::string(100'000, ']'), told));
}

/// What another parser says of the same text: where it is broken, and how.
class Theirs : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::optional<JsonFault> fault{};
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& cause) override {
    const bool is_surrogate = std::string_view(cause.what()).find("surrogate") != std::string_view::npos;
    const auto kind = cause.id == 406 ? JsonFault::Kind::number_range
                      : is_surrogate  ? JsonFault::Kind::surrogate
                                      : JsonFault::Kind::malformed;
    fault = JsonFault{kind, position > 0 ? position - 1 : 0};
    return false;
  }
};

TEST(JsonParserTest, AgreesWithAnotherParserOnTextsThatAreNearlyJson) {
  const std::vector<std::string> seeds{
      R"({"a":[1,2.5e3,-0,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{}}})",
      R"([[],{},[1,[2,[3]]],"",-1.0E+2,12345678901234567890,-9223372036854775808,1e400])",
      R"("\ud800x")",
      "01",
      "1e",
      "[1 2]",
      "{a:1}",
      "[1,]",
      R"("\u12g4")",
      "",
      "[1",
      R"({"a":"b" "c"})",
      "[1 truth]"};
  constexpr std::string_view alphabet = "{}[],:\"\\ \n0123456789.eE+-truefalsn\x01/u8dDaA";
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    auto text = seeds[random() % seeds.size()];
    for (auto changes = random() % 4; changes > 0; --changes) {
      const auto at = text.empty() ? 0 : random() % text.size();
      if (const auto letter = alphabet[random() % alphabet.size()]; random() % 2 == 0)
        text.insert(at, 1, letter);
      else if (!text.empty())
        text[at] = letter;
    }
    Theirs theirs;
    nlohmann::json::sax_parse(text.begin(), text.end(), &theirs);
    Told told;
    const auto fault = parse_events(text, told);
    ASSERT_EQ(fault.has_value(), theirs.fault.has_value()) << text;
    if (!fault) continue;
    EXPECT_EQ(fault->kind, theirs.fault->kind) << text;
    EXPECT_EQ(std::min(fault->offset, text.size()), std::min(theirs.fault->offset, text.size())) << text;
  }
}

TEST(JsonNumberTest, ReadsBackAsTheSameAndIsNeverLongerThanAnothers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const auto thousandths = static_cast<double>(random() % 1'000'000) / 1'000;
    const double value = std::ldexp(thousandths, static_cast<int>(random() % 200) - 100);
    for (const double number : {value, -value, thousandths}) {
      const auto text = json_number(number);
      EXPECT_EQ(nlohmann::json::parse(text).get<double>(), number) << text;
      EXPECT_LE(text.size(), nlohmann::json(number).dump().size()) << text;
    }
  }
  EXPECT_EQ(json_number(0.0), "0.0");
  EXPECT_EQ(json_number(-0.0), "-0.0");
  EXPECT_EQ(json_number(1e15), "1e+15");
  EXPECT_EQ(json_number(1e15, 16), "1000000000000000.0");
  EXPECT_EQ(json_number(123456.0), "123456.0");
  EXPECT_EQ(json_number(0.0001), "0.0001");
  EXPECT_EQ(json_number(0.00001), "1e-05");
}

}  // namespace
}  // namespace ctxmgr
