#include "engine/words/request_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(RequestTextTest, WhoSaysAFewWordsWithoutANameOnlyGoesOn) {
  for (const char* const text : {"Go on.", "yes", "Bitte mach weiter", "\u7ee7\u7eed", ""})
    EXPECT_TRUE(read_request_text(text).only_goes_on) << text;
  for (const char* const text : {"Why?", "Tell me more", "Read docs/a.md", "Now do the other one."})
    EXPECT_FALSE(read_request_text(text).only_goes_on) << text;
}

TEST(RequestTextTest, AShortQuestionIsAnAside) {
  for (const char* const text : {"Is the first file done?", "Tell me how far you are.", "\u597d\u4e86\u5417\uff1f"})
    EXPECT_TRUE(read_request_text(text).is_aside) << text;
  EXPECT_FALSE(read_request_text("Port the parser.").is_aside);
  EXPECT_FALSE(read_request_text(std::string(500, 'a') + "?").is_aside) << "it is long";
  EXPECT_TRUE(read_request_text(std::string(500, 'a') + "?").has_question);
}

TEST(RequestTextTest, BytesAreCounted) { EXPECT_EQ(read_request_text("Read it.").bytes, 8U); }

}  // namespace
}  // namespace ctxmgr::engine
