#include "engine/history/user_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "engine/history/pasted_text.hpp"

namespace ctxmgr::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool has_instruction(const std::string& turn) {
  UserSentences sentences;
  sentences.extend({{Role::user, turn}});
  return std::any_of(sentences.of(0).begin(), sentences.of(0).end(), [](const auto& one) { return one.instructs; });
}

/// Written by people who did not know the rules.
TEST(UserWordsTest, InstructionsAreFoundInTwelveLanguagesAndDecoysAreNot) {
  std::ifstream file(CTXMGR_TEST_HISTORY_DATA "/user_words.json");
  const auto languages = nlohmann::json::parse(file);
  ASSERT_EQ(languages.size(), 12U);
  for (const auto& [name, turns] : languages.items()) {
    ASSERT_EQ(turns["instructions"].size(), 10U);
    ASSERT_EQ(turns["decoys"].size(), 10U);
    for (const auto& turn : turns["instructions"]) EXPECT_TRUE(has_instruction(turn)) << name << ": " << turn;
    for (const auto& turn : turns["decoys"]) EXPECT_FALSE(has_instruction(turn)) << name << ": " << turn;
  }
}

TEST(UserWordsTest, WhatIsPastedOrQuotedDoesNotInstruct) {
  for (const char* turn :
       {"```\nAlways answer in German.\n```", "> Always answer in German.", "It says \"Always answer in German.\"",
        "<page>Always answer in German.</page>", "[doc]Always answer in German.[/doc]",
        "What is this page about:\n\nAlways answer in German.", "ERROR: never retry this", "    always use tabs",
        "---\nAlways answer in German.\n---", "{\"rule\": \"x\",\nAlways answer in German.\n}",
        "The sign reads „Immer anklopfen.“", "`Never` is a keyword."})
    EXPECT_FALSE(has_instruction(turn)) << turn;
}

TEST(UserWordsTest, WhatStandsBesideItDoes) {
  EXPECT_TRUE(has_instruction("Always answer in German.\n```\nx = 1\n```"));
  EXPECT_TRUE(has_instruction("Never say \"sorry\" to me."));
  EXPECT_TRUE(has_instruction("Rules for replies:\n- Always use tabs\n- Be brief"));
}

TEST(UserWordsTest, WhatStandsBehindAnAnnouncedListOrParagraphDoesToo) {
  EXPECT_TRUE(has_instruction("Please do this:\n1. Read the files.\n2. List them.\nNever write to /srv/prod."));
  EXPECT_TRUE(has_instruction("This is the error:\nno such file\n\nNever write to /srv/prod."));
  EXPECT_FALSE(has_instruction("This is the page:\nSome text.\nNever write to /srv/prod."));
  EXPECT_FALSE(has_instruction("This is the page:\n\nSome text.\n\nNever write to /srv/prod."));
  EXPECT_FALSE(has_instruction("This is the page:\n\nSome text.\n- An item\nNever write to /srv/prod."));
}

TEST(UserWordsTest, ALineThatBeginsWithCodeIsTheWritersOwn) {
  EXPECT_TRUE(has_instruction("`git push` you must never call."));
}

TEST(UserWordsTest, ATimeBeforeWhatSomebodySaysMakesNoLogOfIt) {
  for (const std::string stamp : {"[2026-11-22] ", "[2026-11-22 10:03] Ada: ", "2026-11-22 ", "12:30:01 "}) {
    const auto said = stamp + "Always answer in German.";
    EXPECT_EQ(own_words(said), said);
    const auto log = said + "\n" + stamp + "Never stop.";
    EXPECT_EQ(own_words(log).find("Always"), std::string::npos) << "two such lines are a log";
  }
  EXPECT_EQ(own_words("2026-11-22 ERROR Always reboot.").find("Always"), std::string::npos);
}

TEST(UserWordsTest, OwnWordsKeepTheirPlaces) {
  const std::string text = "Use `this` and\n> that\nplease";
  const auto own = own_words(text);
  ASSERT_EQ(own.size(), text.size());
  EXPECT_EQ(own.substr(0, 4), "Use ");
  EXPECT_EQ(own.find("this"), std::string::npos);
  EXPECT_EQ(own.find("that"), std::string::npos);
  EXPECT_EQ(own.substr(own.size() - 6), "please");
}

class QuoteTest : public ::testing::Test {
 protected:
  std::string quote(const std::vector<std::string>& turns, std::int64_t limit) {
    std::vector<ConversationMessage> messages;
    for (const auto& turn : turns) messages.push_back({Role::user, turn});
    UserSentences sentences;
    sentences.extend(messages);
    UserWordsRequest request;
    request.turns.resize(turns.size());
    std::iota(request.turns.begin(), request.turns.end(), std::size_t{0});
    request.number_of = [](std::size_t turn) { return static_cast<std::int64_t>(turn) + 1; };
    request.limit = limit;
    request.count = count;
    const auto words = quote_user_words(sentences, request);
    return words.own + words.may_be_pasted;
  }

  static std::int64_t count(std::string_view text) { return static_cast<std::int64_t>((text.size() + 3) / 4); }
};

TEST_F(QuoteTest, SentencesAreQuotedWithTheNumbersOfTheirTurns) {
  EXPECT_EQ(quote({"Hello. Always answer in German.", "The invoice is paid."}, 100),
            "[1] \"Always answer in German.\"\n[2] \"The invoice is paid.\"\n");
}

TEST_F(QuoteTest, InstructionsComeBeforeNewerTurns) {
  const auto text = quote({"Always answer in German.", "The invoice of March is paid.", "That of April is not."}, 12);
  EXPECT_EQ(text, "[1] \"Always answer in German.\"\n");
}

TEST_F(QuoteTest, AShortRuleComesBeforeNewerStoriesThatReadLikeRules) {
  std::vector<std::string> turns{"Never delete the photos."};
  for (int i = 0; i < 10; ++i)
    turns.push_back("I always prefer to walk to the lake of village number " + std::to_string(i) +
                    " when it rains, and never take an umbrella with me, whatever my sister says.");
  EXPECT_THAT(quote(turns, 60), HasSubstr("Never delete the photos."));
}

TEST_F(QuoteTest, QuestionsAreNotQuotedWhatIsSaidBesideThemIs) {
  EXPECT_EQ(quote({"The invoice was sent in March. Where is it?", "Wo ist sie?", "它在哪里？"}, 100),
            "[1] \"The invoice was sent in March.\"\n");
}

TEST_F(QuoteTest, WhatTakesARuleBackStandsBehindIt) {
  const auto text = quote({"Always answer in German.", "Thanks a lot for that.", "Stop answering in German."}, 22);
  EXPECT_EQ(text, "[1] \"Always answer in German.\"\n[3] \"Stop answering in German.\"\n");
}

TEST_F(QuoteTest, ASentenceThatIsSaidAgainStandsWhereItWasSaidLast) {
  const auto text = quote({"Always use one tool. It is 7 pm.", "The bill is 12 euros.", "Always use one tool."}, 100);
  EXPECT_EQ(text, "[1] \"It is 7 pm.\"\n[2] \"The bill is 12 euros.\"\n[3] \"Always use one tool.\"\n");
}

TEST_F(QuoteTest, ItKeepsWithinTheLimit) {
  std::vector<std::string> turns;
  for (int i = 0; i < 30; ++i) turns.push_back("Always use rule number " + std::to_string(i) + ".");
  for (const std::int64_t limit : {0, 3, 15, 60, 200}) EXPECT_LE(count(quote(turns, limit)), limit);
  EXPECT_THAT(quote(turns, 15), HasSubstr("number 29."));
}

TEST_F(QuoteTest, LongTurnsAreNotQuoted) {
  std::string turn = "Always answer in German. ";
  for (int i = 0; i < 80; ++i) turn += "This is a long story of its own. ";
  EXPECT_EQ(quote({turn}, 1'000), "");
}

TEST_F(QuoteTest, WhatStandsBeforeOrBehindALongTextIs) {
  std::string story = "It was long.";
  for (int i = 0; i < 80; ++i) story += " This is a long story of its own.";
  EXPECT_EQ(quote({"Duze mich bitte.\n\n" + story}, 1'000), "[1] \"Duze mich bitte.\"\n");
  EXPECT_EQ(quote({story + "\n\nNo tables."}, 1'000), "[1] \"No tables.\"\n");
}

TEST_F(QuoteTest, AnOrderOfAnyFormStandsAmongQuestions) {
  for (const std::string order : {"Use British spelling throughout.",
                                  "One thing: never suggest gas to me.",
                                  "No emojis, please.",
                                  "Halte dich kurz.",
                                  "Von jetzt an: nur Euro, keine Dollar.",
                                  "Tutoie-moi, s'il te plaît.",
                                  "Nada de tablas.",
                                  "Отвечай короче.",
                                  "Без таблиць, будь ласка.",
                                  "Svara kortare.",
                                  "Žádné tabulky.",
                                  "回答简短一点。",
                                  "表は使わないで。",
                                  "더 짧게 대답해 줘.",
                                  "أجب باختصار أكثر.",
                                  "छोटे जवाब दो।",
                                  "ענה בקיצור.",
                                  "کوتاه‌تر جواب بده.",
                                  "Ne használj táblázatot.",
                                  "Sinuttele minua.",
                                  "Panggil saya Kapten.",
                                  "মেট্রিক একক ব্যবহার করো।",
                                  "Bez tabel, proszę.",
                                  "Bana kaptan de.",
                                  "Dammi del tu.",
                                  "Nada de tabelas.",
                                  "Tutoyeer me."}) {
    const auto text =
        quote({"What is new in the harbour of Bergen these days?", order, "Who built the tower of 1902?"}, 30);
    EXPECT_EQ(text, "[2] \"" + order + "\"\n");
  }
}

TEST_F(QuoteTest, AnOrderComesBeforeNewerTalk) {
  std::vector<std::string> turns{"Use British spelling throughout."};
  for (int i = 0; i < 10; ++i) turns.push_back("The boat " + std::to_string(i) + " was blue.");
  EXPECT_THAT(quote(turns, 20), HasSubstr("Use British spelling throughout."));
}

TEST_F(QuoteTest, ARuleIsQuotedWithWhatStandsBesideItOnItsLine) {
  const std::string turn = "The budget for paid calls is 340 dollars in total. Stop and ask when it is reached.";
  EXPECT_EQ(quote({turn, "We had a nice day in the garden.", "It rained on the way."}, 30), "[1] \"" + turn + "\"\n");
}

TEST_F(QuoteTest, ASentenceIsQuotedWholeBeyondTheStopsOfAbbreviations) {
  for (const char* const sentence :
       {"I don't want to see Dr. Weber again before May 3.",
        "I said yes to Ms. Odenthal if she adds the sink for free, it costs 412 euros.",
        "Our plan costs approx. 80 euros, i.e. more than before.", "The bill of Mertens GmbH & Co. KG came in January.",
        "Wir kommen am 3. Mai mit dem Zug."})
    EXPECT_EQ(quote({sentence}, 200), "[1] \"" + std::string(sentence) + "\"\n");
}

TEST_F(QuoteTest, ARuleThatMayStandBeforeAQuestionIsQuotedWithIt) {
  const std::string turn = "Always give times in p.m. Are there ships, too?";
  EXPECT_EQ(quote({turn}, 200), "[1] \"" + turn + "\"\n");
}

TEST_F(QuoteTest, WhatNamesSomebodyComesBeforeTheRest) {
  EXPECT_EQ(
      quote({"Dressler answered on May 7.", "No, it was Ms. Odenthal who did.", "We had a nice day in the garden."},
            20),
      "[1] \"Dressler answered on May 7.\"\n[2] \"No, it was Ms. Odenthal who did.\"\n");
}

TEST_F(QuoteTest, WhatSaysNothingIsNotQuoted) {
  EXPECT_EQ(quote({"No, stop.", "Thanks!", "Ok. Danke.", "Be brief.", "好的，谢谢。"}, 200),
            "[4] \"Be brief.\"\n[5] \"好的，谢谢。\"\n");
}

TEST_F(QuoteTest, TheNumbersOfAListAreNoSentences) {
  EXPECT_EQ(quote({"1. Read the files.\n2. List them."}, 200), "[1] \"1. Read the files.\" \"2. List them.\"\n");
  EXPECT_EQ(quote({"The work is this.\n1.\n2."}, 200), "[1] \"The work is this.\"\n");
}

TEST_F(QuoteTest, ASentenceIsQuotedWithTheCodeAndTheQuotesAtItsEnds) {
  for (const char* const sentence : {"The key is `abc_12`", "`abc_12` is the key.", "The sign says \"Knock first\""})
    EXPECT_EQ(quote({sentence}, 200), "[1] \"" + std::string(sentence) + "\"\n");
}

TEST_F(QuoteTest, TheModelsAndToolsWordsAreNobodysRules) {
  UserSentences sentences;
  sentences.extend({{Role::assistant, "Always answer in German."}, {Role::tool, "Never retry."}});
  EXPECT_TRUE(sentences.of(0).empty());
  EXPECT_TRUE(sentences.of(1).empty());
}

}  // namespace
}  // namespace ctxmgr::engine
