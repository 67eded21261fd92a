#include "engine/index/languages.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(FunctionWordsTest, DetectsTheLanguageOfSentences) {
  EXPECT_EQ(detect_language("The cat is in the house and it does not want to go out."), Language::english);
  EXPECT_EQ(detect_language("Der Hund ist nicht in dem Haus und die Katze auch nicht."), Language::german);
  EXPECT_EQ(detect_language("Le chat est dans la maison et il ne veut pas sortir avec nous."), Language::french);
  EXPECT_EQ(detect_language("El perro no está en la casa porque quiere ir con nosotros."), Language::spanish);
  EXPECT_EQ(detect_language("Il gatto non è nella casa perché vuole uscire con gli altri."), Language::italian);
  EXPECT_EQ(detect_language("O gato não está em casa porque quer sair com os outros dele."), Language::portuguese);
  EXPECT_EQ(detect_language("De hond is niet in het huis en hij wil ook niet naar de tuin."), Language::dutch);
  EXPECT_EQ(detect_language("Hunden är inte i huset och han vill också gå ut till dem när det regnar."),
            Language::swedish);
  EXPECT_EQ(detect_language("Koira ei ole talossa, mutta kissa on siellä ja se oli myös eilen."), Language::finnish);
  EXPECT_EQ(detect_language("Собака не в доме, потому что она хочет идти к ним, а кошка уже там."), Language::russian);
}

TEST(FunctionWordsTest, CapitalsMakeNoDifference) {
  EXPECT_EQ(detect_language("ÜBER DIE BRÜCKE UND DURCH DEN WALD FÜR EINE NACHT"), Language::german);
  EXPECT_EQ(detect_language("ЧТО ЭТО ТАКОЕ И ПОЧЕМУ ОНО ТАМ БЫЛО"), Language::russian);
}

TEST(FunctionWordsTest, LittleEvidenceIsEnglish) {
  for (const char* text :
       {"", "xyzzy", "Rechnung bezahlt", "日本語のテキスト", "int main() { return 0; }", "\xFF\xFE\xC3"})
    EXPECT_EQ(detect_language(text), Language::english) << text;
}

TEST(FunctionWordsTest, LittleEvidenceIsNotTakenForEnglish) {
  EXPECT_EQ(recognize_language("Rechnung bezahlt"), std::nullopt);
  EXPECT_EQ(recognize_language("What is in the house?"), Language::english);
}

TEST(FunctionWordsTest, LanguagesHaveNamesAndTags) {
  EXPECT_EQ(language_of_name("german"), Language::german);
  EXPECT_EQ(language_of_name("de"), Language::german);
  EXPECT_EQ(language_of_name("pt-BR"), Language::portuguese);
  EXPECT_EQ(language_of_name("nb"), Language::norwegian);
  for (const char* unknown : {"", "klingon", "d", "germany", "-"}) EXPECT_EQ(language_of_name(unknown), std::nullopt);
}

TEST(FunctionWordsTest, TheStartOfATextDecides) {
  std::string text = "Der Hund ist nicht in dem Haus und die Katze auch nicht. ";
  for (int i = 0; i < 400; ++i) text += "Lieferschein ";
  for (int i = 0; i < 400; ++i) text += "the house and it is in the ";
  EXPECT_EQ(detect_language(text), Language::german);
}

TEST(FunctionWordsTest, KnowsTheFunctionWordsOfEachLanguage) {
  EXPECT_TRUE(is_function_word("the", Language::english));
  EXPECT_TRUE(is_function_word("für", Language::german));
  EXPECT_TRUE(is_function_word("что", Language::russian));
  EXPECT_FALSE(is_function_word("für", Language::english));
  EXPECT_FALSE(is_function_word("invoice", Language::english));
  EXPECT_FALSE(is_function_word("", Language::english));
}

TEST(FunctionWordsTest, EveryLanguageHasAStemmer) {
  for (int l = 0; l < language_count; ++l) EXPECT_NE(std::string(stemmer_name(static_cast<Language>(l))), "");
}

TEST(FunctionWordsTest, PiecesOfChecksumsAndPathsAreNoWords) {
  EXPECT_EQ(recognize_language("sha512-ha/de+og=at en_er_det/som#til ha4de /og/at/det"), std::nullopt);
  EXPECT_EQ(recognize_language("Der Hund \"ist\" (nicht) im Haus."), Language::german);
}

TEST(FunctionWordsTest, QuotesAroundAWordAreNoneOfIt) {
  std::string table;
  for (int i = 0; i < 9; ++i) table += "`fee` CHAR(3) DEFAULT NULL COMMENT 'the price',\n";
  EXPECT_EQ(detect_language(table), Language::english) << "COMMENT is a word of French, and 'the one of English";
}

TEST(FunctionWordsTest, AFewWordsAmongManyNamesAreAnAccident) {
  std::string text;
  for (const char* word : {"ha ", "de ", "og ", "at "}) {
    for (int i = 0; i < 20; ++i) text += "registry river ";
    text += word;
  }
  EXPECT_EQ(recognize_language(text), std::nullopt);
}

}  // namespace
}  // namespace ctxmgr::engine
