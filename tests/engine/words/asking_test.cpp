#include "engine/words/asking.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(AskingTest, AQuestionMarkOfAnyScriptAsks) {
  for (const char* const text : {"Which port was it?", "どのポートですか？", "ما هو المنفذ؟", "¿Qué puerto"})
    EXPECT_TRUE(asks(text)) << text;
}

TEST(AskingTest, WordsThatReferBackAsk) {
  for (const char* const text :
       {"Tell me again which port it was.", "Nenn mir nochmal den Port.", "之前的端口是多少", "さっきのポートを教えて",
        "Redis-moi le port, tu l'avais donné avant.", "아까 그 포트 알려줘"})
    EXPECT_TRUE(asks(text)) << text;
}

TEST(AskingTest, WhoWantsToBeToldAsks) {
  for (const char* const text :
       {"Tell me what the migration printed.", "Repeat the line of the port.", "Zeig mir den Port.",
        "Sagen Sie mir, was der Port war.", "Dis-moi le port.", "Dime el puerto."})
    EXPECT_TRUE(asks(text)) << text;
}

TEST(AskingTest, WhoWantsSomethingDoneRequestsIt) {
  for (const char* const text :
       {"Book the hotel we spoke of.", "Thanks. Summarise the tax matter!", "Please put the address into a mail.",
        "I need the file number.", "Buche das Hotel.", "Das Hotel, bitte.", "Résume le contrat.", "Reserva el hotel.",
        "Scrivi la lettera.", "Zoek het adres.", "Напиши письмо.", "住所を書いてください", "Which port was it?"})
    EXPECT_TRUE(requests(text)) << text;
  EXPECT_FALSE(asks("Book the hotel we spoke of.")) << "an agent is told such things at each step";
}

TEST(AskingTest, QuestionsAndRequestsOfLanguagesThatHaveNoStemmer) {
  for (const char* const text : {"Нагадай мені порт, будь ласка.", "Řekni mi ten port.", "Sebutkan port itu.",
                                 "دوباره پورت را بگو", "תזכיר לי את הפורט", "Mondd meg a portot.",
                                 "আমাকে বলো পোর্টটা কী ছিল", "Kerro portti.", "Påminn mig om porten."})
    EXPECT_TRUE(asks(text)) << text;
  for (const char* const text : {"Переклади листа.", "Napiš dopis.", "Terjemahkan surat itu.", "لطفا نامه را بنویس",
                                 "כתוב מכתב", "Fordítsd le a levelet.", "দয়া করে চিঠিটা দাও"})
    EXPECT_TRUE(requests(text)) << text;
  EXPECT_FALSE(requests("Ég kom í gær.")) << "Icelandic has no file";
}

TEST(AskingTest, WhoTellsSomethingRequestsNothing) {
  for (const char* const text : {"The book was good.", "Henrike comes on Friday.", "Sounds fun, take care!",
                                 "list: a, b", "Heute war das Wetter schön.", ""})
    EXPECT_FALSE(requests(text)) << text;
}

TEST(AskingTest, OfALongTextBothEndsAreRead) {
  const std::string pasted(10'000, 'x');
  EXPECT_TRUE(requests("Summarise this:\n" + pasted));
  EXPECT_TRUE(requests(pasted + "\nSummarise this."));
  EXPECT_FALSE(requests(pasted + "\nSummarise this.\n" + pasted));
}

TEST(AskingTest, WordsThatAskWhereASentenceBeginsWithThem) {
  for (const char* const text : {"Name the port.",
                                 "Good. Give me the port!",
                                 "\n- cite the line of the port",
                                 "Nenne den Port.",
                                 "Nennen Sie mir den Port.",
                                 "Citez la ligne du port.",
                                 "\u00a1Dame el puerto!",
                                 "Cita la línea.",
                                 "Dammi la porta.",
                                 "Dê-me a porta.",
                                 "Noem de poort.",
                                 "Nämn porten.",
                                 "Nævn porten.",
                                 "Nevn porten.",
                                 "Nimeä portti.",
                                 "Назови порт.",
                                 "Zitiere die Zeile.",
                                 "Rappelle-moi le port.",
                                 "Recuérdame el puerto.",
                                 "Erinnere mich an den Port.",
                                 "Quote the line.",
                                 "Dime el puerto."})
    EXPECT_TRUE(asks(text)) << text;
}

TEST(AskingTest, TheSameWordsElsewhereDoNot) {
  for (const char* const text :
       {"The name of the port is 7.", "They give me a port.", "name: harbour", "name = harbour", "- name: harbour",
        "user.name goes first", "Names are kept.", "On me donne un port; je la cite ici.",
        "Tomorrow I have a cita previa.", "Name", "x:name y"})
    EXPECT_FALSE(asks(text)) << text;
}

TEST(AskingTest, OtherRequestsDoNot) {
  for (const char* const text : {"Add a test for the parser.", "Sounds fun, take care!", "Buy the red shoes.", "",
                                 "Beforehand is another word.", "Quoted text stays.", "\xff\xfe"})
    EXPECT_FALSE(asks(text)) << text;
}

TEST(AskingTest, WhoPastesALotAsksBeforeOrBehindIt) {
  const std::string pasted(50'000, 'x');
  EXPECT_TRUE(asks(pasted + " What is wrong here?"));
  EXPECT_TRUE(asks("What is wrong here? " + pasted));
  EXPECT_FALSE(asks(pasted));
}

}  // namespace
}  // namespace ctxmgr::engine
