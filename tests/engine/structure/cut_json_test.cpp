#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces(std::string_view json) {
  std::vector<Atom> atoms;
  cut_json(json, atoms);
  Pieces result;
  for (const Atom& atom : atoms) result.emplace_back(json.substr(atom.begin, atom.end - atom.begin));
  return result;
}

TEST(CutJsonTest, CutsBetweenMembersAndKeepsKeysWithTheirValues) {
  EXPECT_EQ(pieces(R"({"a": "x, y", "b": {"c": 1, "d": [2, 3]}})"),
            (Pieces{R"("a": "x, y")", R"("b": {"c": 1)", R"("d": [2, 3)"}));
}

TEST(CutJsonTest, PunctuationInsideAStringIsText) {
  EXPECT_EQ(pieces(R"(["{\"k\": [1]}", "\\"])"), (Pieces{R"("{\"k\": [1]}", "\\")"}));
}

TEST(CutJsonTest, ScalarsOfAnArrayGoTogetherUpToALine) {
  std::string numbers = "[";
  for (int i = 0; i < 100; ++i) numbers += std::to_string(1000 + i) + ", ";
  for (const std::string& piece : pieces(numbers + "1]")) EXPECT_LE(piece.size(), 130U);
}

TEST(CutJsonTest, KeysOfContainersGoWithTheFirstThingInThem) {
  EXPECT_EQ(pieces(R"({"a": {"b": [{"c": 1, "d": 2}]}})"), (Pieces{R"("a": {"b": [{"c": 1)", R"("d": 2)"}));
}

TEST(CutJsonTest, AnEmptyContainerStandsWithItsKey) {
  EXPECT_EQ(pieces(R"([{"id": 1, "tags": []}, {"id": 2, "more": {"x": {}}}])"),
            (Pieces{R"("id": 1)", R"("tags": [])", R"("id": 2)", R"("more": {"x": {}})"}));
}

TEST(CutJsonTest, EveryObjectStartsAParagraph) {
  std::vector<Atom> atoms;
  cut_json("{\"a\": 1, \"b\": 2}\n{\"a\": 3}\n", atoms);
  ASSERT_EQ(atoms.size(), 3U);
  EXPECT_TRUE(atoms[0].paragraph_start);
  EXPECT_FALSE(atoms[1].paragraph_start);
  EXPECT_TRUE(atoms[2].paragraph_start);
}

TEST(CutJsonTest, AMemberIsWholeHoweverLongUnlessItIsAPage) {
  const std::string value(longest_atom_bytes + 300, 'x');
  EXPECT_EQ(pieces("{\"a\": \"" + value + "\"}").size(), 1U);
  const std::string page(5 * longest_atom_bytes, ' ');
  std::string words = page;
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] = 'w';
  EXPECT_GT(pieces("{\"a\": \"" + words + "\"}").size(), 3U);
}

TEST(CutJsonTest, BrokenJsonGivesPiecesAsWell) {
  EXPECT_EQ(pieces(R"({"a": 1, "b")"), (Pieces{R"("a": 1)", R"("b")"}));
  EXPECT_EQ(pieces(R"(}}] "open)"), (Pieces{R"("open)"}));
  EXPECT_TRUE(pieces("{[,:]}").empty());
}

}  // namespace
}  // namespace ctxmgr::engine
