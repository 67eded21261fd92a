#include "engine/structure/stanzas.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

// What each piece stands directly under, "" for nothing.
std::vector<std::string> headings(const std::string& text) {
  std::vector<std::string> result;
  const std::vector<Atom> atoms = analyze_structure(text, ContentFormat::text).atoms;
  for (const Atom& atom : atoms) {
    const Atom* above = atom.heading == no_atom ? nullptr : &atoms[atom.heading];
    result.push_back(above == nullptr ? "" : text.substr(above->begin, above->end - above->begin));
  }
  return result;
}

TEST(StanzasTest, LinesOfARecordStandUnderItsFirst) {
  EXPECT_EQ(headings("Ship: Aurora\nFlag: Norway\nCrew: 14 people\n\nShip: Borea\nFlag: Malta\nCrew: 9 people\n"),
            (std::vector<std::string>{"", "Ship: Aurora", "Ship: Aurora", "", "Ship: Borea", "Ship: Borea"}));
}

TEST(StanzasTest, APieceOfALongLineStandsUnderTheShortOneAboveIt) {
  std::string ports = "Ports: ";
  for (int i = 0; i < 100; ++i) ports += "Oslo, Lyon, ";
  const std::vector<std::string> found =
      headings("Ship: Aurora\nMaster: Mina Kern\n" + ports + "Graz\n\nShip: Borea\nMaster: Hugo Falk\n");
  ASSERT_GE(found.size(), 6U);
  EXPECT_EQ(found[1], "Ship: Aurora");
  EXPECT_EQ(found[2], "Master: Mina Kern");
  EXPECT_EQ(found[3], "Master: Mina Kern");
  EXPECT_EQ(found.back(), "Ship: Borea");
}

TEST(StanzasTest, WhatIsNoRecordStandsUnderNothing) {
  for (const char* text :
       {"Ship: Aurora\nFlag: Norway\n\nPort: Oslo\nDepth: 9 metres\n",                         // other things
        "Anna: Hello there\nBen: Good morning\nAnna: How are you\n\nAnna: Well\nBen: Good\n",  // who speaks twice
        "Ship: Aurora\n\nShip: Borea\n\nShip: Cassia\n",                                       // a line each
        "Note: this is said in a sentence\nand goes on here.\n\nNote: another\nof them\n"})
    for (const std::string& heading : headings(text)) EXPECT_EQ(heading, "") << text;
}

}  // namespace
}  // namespace ctxmgr::engine
