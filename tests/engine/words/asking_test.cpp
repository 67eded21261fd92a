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
