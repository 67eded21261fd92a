#include "core/json/lexer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (JsonToken token = next_json_token(text, 0); token; token = next_json_token(text, token.end))
    tokens.push_back(token.kind + std::string(text.substr(token.begin, token.end - token.begin)));
  return tokens;
}

using Tokens = std::vector<std::string>;

TEST(JsonLexerTest, NamesEachTokenAndPassesOverBlanks) {
  EXPECT_EQ(tokens_of(" {\"a\":\t[1.50, true],\n\"b\" : null}\r\n"),
            (Tokens{"{{", "\"\"a\"", "::", "[[", "01.50", ",,", "0true", "]]", ",,", "\"\"b\"", "::", "0null", "}}"}));
}

TEST(JsonLexerTest, BracketsAndEscapedQuotesInStringsAreText) {
  EXPECT_EQ(tokens_of(R"(["}\"]", "\\"])"), (Tokens{"[[", R"(""}\"]")", ",,", R"(""\\")", "]]"}));
}

TEST(JsonLexerTest, AStringWithoutItsEndGoesToTheEndOfTheText) {
  EXPECT_EQ(tokens_of(R"({"a": "cut)"), (Tokens{"{{", R"(""a")", "::", R"(""cut)"}));
  EXPECT_EQ(tokens_of(R"("cut\)"), (Tokens{R"(""cut\)"}));
}

TEST(JsonLexerTest, BytesThatJsonDoesNotKnowAreBareWords) {
  EXPECT_EQ(tokens_of("{'a': b\"c\"}"), (Tokens{"{{", "0'a'", "::", "0b", "\"\"c\"", "}}"}));
}

TEST(JsonLexerTest, NothingAndBlanksHaveNoToken) {
  EXPECT_FALSE(next_json_token("", 0));
  EXPECT_FALSE(next_json_token(" \n", 0));
  EXPECT_FALSE(next_json_token("{}", 7));
}

// Whatever the text: tokens follow one another, and only blanks are between them.
RC_GTEST_PROP(JsonLexerPropertyTest, TokensCoverAllButTheBlanks, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element('{', '}', '[', ']', ':', ',', '"', '\\', ' ', '\n', '1', 'x'));
  std::size_t at = 0;
  for (JsonToken token = next_json_token(text, 0); token; token = next_json_token(text, token.end)) {
    RC_ASSERT(token.begin >= at);
    for (; at < token.begin; ++at) RC_ASSERT(is_json_blank(text[at]));
    RC_ASSERT(token.end > token.begin);
    RC_ASSERT(token.end <= text.size());
    at = token.end;
  }
  for (; at < text.size(); ++at) RC_ASSERT(is_json_blank(text[at]));
}

}  // namespace
}  // namespace ctxmgr
