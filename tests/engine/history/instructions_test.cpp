#include "engine/history/instructions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/structure/sentences.hpp"

namespace ctxmgr::engine {
namespace {

TEST(InstructionsTest, WhatHoldsFromNowOnInstructs) {
  for (const char* sentence :
       {"Always answer in German.", "Please never use tables.", "From now on, call me Ann.",
        "Use metric units instead.", "In code, always use tabs.", "I prefer short answers.",
        "When I ask for a summary, give three lines.", "Stop apologising!", "Forget the deadline.",
        "You no longer need to copy my boss.", "I'm allergic to nuts, so leave them out."})
    EXPECT_TRUE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, QuestionsReportsAndWhatIsSaidOfOthersDoNot) {
  for (const char* sentence :
       {"Should I always lock the door?", "The manual says never open the case.", "He always forgets his keys.",
        "The train never stops here.", "My neighbour moved instead.", "Dogs always bark.", "Where is the invoice?",
        "Give me three examples.", ""})
    EXPECT_FALSE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, WhatMustNotBeAndWhatIsToBeRememberedInstructs) {
  for (const char* sentence :
       {"You must not delete any branch.", "Remember that the release is on Friday.", "Call me Ines.",
        "My budget is 400 pounds.", "Du darfst nicht raten.", "Recuerda que estoy fuera."})
    EXPECT_TRUE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, WhatBindsAndWhatHoldsUnderAConditionInstructs) {
  for (const char* sentence :
       {"The drawings must not be altered.", "Only the spare key may be used.", "The attic is off limits.",
        "Treat everything in the archive as read-only.", "If a parcel is damaged, leave it and write to me.",
        "Name the page whenever you cite a letter.", "Ask me before you throw anything away.",
        "You may use tables again."})
    EXPECT_TRUE(instructs(sentence)) << sentence;
  for (const char* sentence : {"If you can, show me the second letter.", "The sign says dogs must not be fed.",
                               "If it rains, we stay at home.", "Ask my neighbour for the key."})
    EXPECT_FALSE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, LanguagesThatHaveWordsAloneInstruct) {
  for (const char* sentence :
       {"Nikdy nemaž zálohy.", "Používej vždy metry.", "Ніколи не видаляй теку з фотографіями.", "Надалі пиши стисло.",
        "Skriv alltid kort.", "Radera aldrig en bild.", "Brug altid meter.", "Slett aldri et bilde.",
        "Kirjoita aina lyhyesti.", "Mindig írj röviden.", "Jangan pernah hapus foto.",
        "Tulislah selalu dengan singkat.", "همیشه کوتاه بنویس.", "תמיד כתוב בקצרה.", "সবসময় সংক্ষেপে লেখো।"})
    EXPECT_TRUE(instructs(sentence)) << sentence;
  for (const char* sentence : {"Můj pes vždy spí.", "Мій пес завжди спить.", "Min hund sover alltid.",
                               "Har du alltid en hund?", "Saya selalu tidur."})
    EXPECT_FALSE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, MoreLanguagesInstruct) {
  for (const char* sentence : {"Ne modifie jamais les fichiers.", "À partir de maintenant, réponds en anglais.",
                               "Responda sempre em inglês.", "Nunca apague um ramo.", "Rispondi sempre in inglese.",
                               "Mai usare le tabelle.", "Antwoord altijd kort.", "Vanaf nu spreek je Engels.",
                               "Zawsze odpowiadaj krótko.", "Pamiętaj, że jestem w Rzymie.", "常に短く答えてください。",
                               "ブランチを削除しないでください。", "항상 짧게 대답하세요.", "파일을 지우지 마세요."})
    EXPECT_TRUE(instructs(sentence)) << sentence;
  for (const char* sentence : {"Il oublie toujours ses clés.", "Regarde ce fichier.", "Ele esquece sempre as chaves.",
                               "Guarda questo file.", "Hij vergeet altijd zijn sleutels.", "On zawsze zapomina kluczy.",
                               "このファイルを見てください。", "그는 항상 열쇠를 잊는다."})
    EXPECT_FALSE(instructs(sentence)) << sentence;
}

TEST(InstructionsTest, AClauseAboutOthersMakesTheNextOneAStory) {
  EXPECT_FALSE(instructs("My uncle never learned to swim, but always lived by the sea."));
}

TEST(InstructionsTest, CaseApostrophesAndSpellingsDoNotMatter) {
  EXPECT_TRUE(instructs("ALWAYS ANSWER IN GERMAN"));
  EXPECT_TRUE(instructs("I don’t want you to guess."));
  EXPECT_TRUE(instructs("Răspunde întotdeauna pe scurt."));
}

TEST(InstructionsTest, AnyBytesWillDo) {
  std::string text;
  for (int i = 0; i < 2048; ++i) text += static_cast<char>((i * 37 + i / 11) % 256);
  for (const auto sentence : sentences_of(text)) (void)instructs(sentence);
}

}  // namespace
}  // namespace ctxmgr::engine
