#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/structure/pieces.hpp"

namespace ctxmgr::engine {
namespace {

using Pieces = std::vector<std::string>;

Pieces json_pieces(std::string_view json) {
  std::vector<Atom> atoms;
  cut_json(json, atoms);
  return pieces_of(json, atoms);
}

TEST(CutJsonTest, CutsBetweenMembersAndKeepsKeysWithTheirValues) {
  EXPECT_EQ(json_pieces(R"({"a": "x, y", "b": {"c": 1, "d": [2, 3]}})"),
            (Pieces{R"("a": "x, y")", R"("b": {"c": 1)", R"("d": [2, 3)"}));
}

TEST(CutJsonTest, PunctuationInsideAStringIsText) {
  EXPECT_EQ(json_pieces(R"(["{\"k\": [1]}", "\\"])"), (Pieces{R"("{\"k\": [1]}", "\\")"}));
}

TEST(CutJsonTest, ScalarsOfAnArrayGoTogetherUpToALine) {
  std::string numbers = "[";
  for (int i = 0; i < 100; ++i) numbers += std::to_string(1000 + i) + ", ";
  for (const std::string& piece : json_pieces(numbers + "1]")) EXPECT_LE(piece.size(), 130U);
}

TEST(CutJsonTest, KeysOfContainersGoWithTheFirstThingInThem) {
  EXPECT_EQ(json_pieces(R"({"a": {"b": [{"c": 1, "d": 2}]}})"), (Pieces{R"("a": {"b": [{"c": 1, "d": 2})"}));
  EXPECT_EQ(json_pieces(R"({"a": {"b": {"c": 1, "d": 2}}})"), (Pieces{R"("a": {"b": {"c": 1)", R"("d": 2)"}));
}

TEST(CutJsonTest, AnEmptyContainerStandsWithItsKey) {
  EXPECT_EQ(json_pieces(R"({"id": 1, "tags": [], "more": {"x": {}}})"),
            (Pieces{R"("id": 1)", R"("tags": [])", R"("more": {"x": {}})"}));
}

TEST(CutJsonTest, EveryObjectStartsAParagraph) {
  std::vector<Atom> atoms;
  cut_json(R"({"x": {"a": 1, "b": 2}, "y": {"c": 3}})", atoms);
  ASSERT_EQ(atoms.size(), 3U);
  EXPECT_TRUE(atoms[0].paragraph_start);
  EXPECT_FALSE(atoms[1].paragraph_start);
  EXPECT_TRUE(atoms[2].paragraph_start);
}

TEST(CutJsonTest, AMemberIsWholeHoweverLongUnlessItIsAPage) {
  const std::string value(longest_atom_bytes + 300, 'x');
  EXPECT_EQ(json_pieces("{\"a\": \"" + value + "\"}").size(), 1U);
  const std::string page(5 * longest_atom_bytes, ' ');
  std::string words = page;
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] = 'w';
  EXPECT_GT(json_pieces("{\"a\": \"" + words + "\"}").size(), 3U);
}

TEST(CutJsonTest, BrokenJsonGivesPiecesAsWell) {
  EXPECT_EQ(json_pieces(R"({"a": 1, "b")"), (Pieces{R"("a": 1)", R"("b")"}));
  EXPECT_EQ(json_pieces(R"(}}] "open)"), (Pieces{R"("open)"}));
  EXPECT_TRUE(json_pieces("{[,:]}").empty());
}

// A record of an array, with an object in it.
std::string record(std::size_t note_bytes) {
  return R"({"id": 12, "note": ")" + std::string(note_bytes, 'x') + R"(", "to": {"city": "Oslo"}, "state": "late"})";
}

TEST(CutJsonTest, AShortRecordIsOnePiece) {
  EXPECT_EQ(json_pieces("[" + record(10) + ", " + record(20) + "]"), (Pieces{record(10), record(20)}));
  EXPECT_EQ(json_pieces(record(10) + "\n" + record(20)), (Pieces{record(10), record(20)}));
  EXPECT_EQ(json_pieces(R"([{"a": "}"}, {"b": "\"}{"}])"), (Pieces{R"({"a": "}"})", R"({"b": "\"}{"})"}));
}

TEST(CutJsonTest, MembersOfALongerRecordAreOneParagraphWithWhatIsInThem) {
  const auto starts = [](const std::string& json) {
    std::vector<Atom> atoms;
    cut_json(json, atoms);
    std::vector<bool> found;
    for (const Atom& atom : atoms) found.push_back(atom.paragraph_start);
    return found;
  };
  EXPECT_EQ(starts("[" + record(200) + "," + record(200) + "]"),
            (std::vector<bool>{true, false, false, false, true, false, false, false}));
  EXPECT_EQ(starts("[" + record(1'200) + "]"), (std::vector<bool>{true, false, false, true, false}));
}

TEST(CutJsonTest, WhatIsInAnObjectStandsUnderItsFirstMember) {
  const std::string address(100, 'x');
  const std::string json = R"({"page": 1, "ships": {"aurora": {"flag": "NO", "home": ")" + address +
                           R"(", "crew": {"deck": 9, "engine": 5}}, "borea": {"flag": "MT", "home": ")" + address +
                           R"("}}})";
  std::vector<Atom> atoms;
  cut_json(json, atoms);
  std::vector<std::string> found;
  for (const Atom& atom : atoms)
    found.push_back(atom.heading == no_atom ? "" : json.substr(atoms[atom.heading].begin, 9));
  EXPECT_EQ(found, (std::vector<std::string>{"", "", R"("ships": )", R"("ships": )", R"("crew": {)", R"("ships": )",
                                             R"("borea": )"}));
}

TEST(CutJsonTest, HoweverDeepAnObjectIsItStandsUnderFewOthers) {
  std::string json;
  for (int level = 0; level < 200; ++level) json += R"({"level": )" + std::to_string(level) + R"(, "below": )";
  json += "0" + std::string(200, '}');
  std::vector<Atom> atoms;
  cut_json(json, atoms);
  ASSERT_GT(atoms.size(), 200U);
  std::size_t most = 0;
  for (const Atom& atom : atoms) {
    std::size_t above = 0;
    for (auto heading = atom.heading; heading != no_atom; heading = atoms[heading].heading) ++above;
    most = std::max(most, above);
  }
  EXPECT_GT(most, 1U);
  EXPECT_LE(most, 12U);
}

}  // namespace
}  // namespace ctxmgr::engine
