#include "serve/json_parts.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace ctxpack::serve::test {
namespace {

TEST(JsonPartsTest, AMemberIsItsTextAndOfSeveralTheLast) {
  constexpr std::string_view object = R"( { "a" : [1, {"b": "]}"}] , "b":"x\"y\\", "c": -1.5e3,"a":null } )";
  EXPECT_EQ(value_in(object, "a"), "null");
  EXPECT_EQ(value_in(object, "b"), R"("x\"y\\")");
  EXPECT_EQ(value_in(object, "c"), "-1.5e3");
  EXPECT_EQ(value_in(object, "d"), "");
  for (const char* const none : {"", "[1]", "{", "{\"a\"", "{\"a\":", "{\"a\" 1}", "nonsense"})
    EXPECT_EQ(value_in(none, "a"), "") << none;
}

TEST(JsonPartsTest, AValueIsPutInItsPlaceOrAtTheEnd) {
  EXPECT_EQ(with_value(R"({"a": 1, "b": 2})", "a", "[3]"), R"({"a": [3], "b": 2})");
  EXPECT_EQ(with_value(R"({"a": 1} )", "c", "3"), R"({"a": 1,"c":3} )");
  EXPECT_EQ(with_value("{ }", "c", "3"), R"({ "c":3})");
  EXPECT_EQ(with_value("[]", "c", "3"), "[]");
  EXPECT_EQ(with_elements("[ ]", "1,2"), "[ 1,2]");
  EXPECT_EQ(with_elements("[0]", "1"), "[0,1]");
}

/// A value of any kind, with strings that hold everything that marks the ends of others.
nlohmann::json any_value(std::mt19937& random, int depth) {
  const auto kind = random() % (depth > 3 ? 4 : 6);
  nlohmann::json value;
  switch (kind) {
    case 0: return static_cast<int>(random() % 1000) - 500;
    case 1: return random() % 2 == 0;
    case 2: return nullptr;
    case 3: {
      std::string text;
      constexpr std::string_view signs = "\"\\{}[],: \nx";
      for (auto left = random() % 9; left > 0; --left) text += signs[random() % 11];
      return text;
    }
    case 4: value = nlohmann::json::array(); break;
    default: value = nlohmann::json::object();
  }
  for (auto left = random() % 5; left > 0; --left) {
    if (value.is_array()) value.push_back(any_value(random, depth + 1));
    if (value.is_object()) value["k" + std::to_string(random() % 6)] = any_value(random, depth + 1);
  }
  return value;
}

TEST(JsonPartsTest, PartsAreWhatAReaderFinds) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const auto value = any_value(random, 0);
    const auto text = value.dump(i % 3 == 0 ? 1 : -1);
    if (value.is_object()) {
      for (const auto& [name, part] : value.items())
        ASSERT_EQ(nlohmann::json::parse(value_in(text, name)), part) << text;
      auto changed = value;
      changed["k1"] = "new";
      ASSERT_EQ(nlohmann::json::parse(with_value(text, "k1", "\"new\"")), changed) << text;
    }
    if (!value.is_array()) continue;
    Elements elements(text);
    for (const auto& part : value) ASSERT_EQ(nlohmann::json::parse(elements.next().value_or("")), part) << text;
    ASSERT_FALSE(elements.next());
    auto longer = value;
    longer.push_back(1);
    ASSERT_EQ(nlohmann::json::parse(with_elements(text, "1")), longer) << text;
  }
}

TEST(JsonPartsTest, TextThatEndsAnywhereEndsTheSearch) {
  const std::string text = R"({"a": [1, {"b": "]}\""}], "messages": [{"role": "user", "content": "x"}, 2]})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto part = std::string_view(text).substr(0, size);
    Elements elements(value_in(part, "messages"));
    int count = 0;
    while (elements.next()) ++count;
    EXPECT_LE(count, 2);
    static_cast<void>(with_value(part, "z", "1"));
  }
}

}  // namespace
}  // namespace ctxpack::serve::test
