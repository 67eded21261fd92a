#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/pieces.hpp"

namespace ctxmgr::engine {
namespace {

using Pieces = std::vector<std::string>;

Pieces call_pieces(std::string_view text) {
  return pieces_of(text, analyze_structure(text, ContentFormat::automatic).atoms);
}

TEST(CutCallsTest, AShortCallIsOnePiece) {
  EXPECT_EQ(call_pieces("\n[call book({\"flight\": \"HAT041\", \"seats\": [1, 2]})]"),
            Pieces{"[call book({\"flight\": \"HAT041\", \"seats\": [1, 2]})]"});
}

TEST(CutCallsTest, CallsStandBehindWhatIsSaid) {
  EXPECT_EQ(call_pieces("I look both of them up.\n[call find({\"id\": \"a\"})]\n[call find(b)]"),
            (Pieces{"I look both of them up.", "[call find({\"id\": \"a\"})]", "[call find(b)]"}));
  EXPECT_EQ(analyze_structure("{\"a\": 1}\n[call f({})]", ContentFormat::automatic).format, ContentFormat::json);
}

TEST(CutCallsTest, LongArgumentsAreCutBetweenMembers) {
  const std::string body(longest_atom_bytes, 'x');
  EXPECT_EQ(call_pieces("[call write({\"path\": \"a.txt\", \"text\": \"" + body + "\"})]"),
            (Pieces{"[call write({\"path\": \"a.txt\"", "\"text\": \"" + body + "\"})]"}));
}

TEST(CutCallsTest, ArgumentsThatAreNoJsonAreALine) {
  std::string words;
  while (words.size() <= longest_atom_bytes) words += "word ";
  for (const std::string& piece : call_pieces("[call write({" + words + "})]")) EXPECT_LE(piece.size(), 750U);
}

TEST(CutCallsTest, OnlyTheEndOfAMessageHasCalls) {
  const std::string text = "[call f({})] is how the call looks,\nas was said.";
  EXPECT_EQ(find_calls(text), text.size());
  EXPECT_EQ(find_calls("[call f({})]\nand then?"), 22U);
  EXPECT_EQ(find_calls("[call f({})]\n"), 0U);
  EXPECT_EQ(find_calls(""), 0U);
}

TEST(CutCallsTest, ArgumentsStandBetweenTheOuterParentheses) {
  EXPECT_EQ(call_arguments("[call f({\"a\": \"(b)]\"})]"), "{\"a\": \"(b)]\"}");
  EXPECT_EQ(call_arguments("[call f()]"), "");
  EXPECT_NE(call_arguments("[call f()]").data(), nullptr);
  EXPECT_EQ(call_arguments("[call )]").data(), nullptr);
  EXPECT_EQ(call_arguments("[main] INFO (x)]").data(), nullptr);
}

}  // namespace
}  // namespace ctxmgr::engine
