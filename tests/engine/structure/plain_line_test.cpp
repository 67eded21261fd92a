#include "engine/structure/plain_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(PlainLineTest, TakesOutWhatHidesTextAndCutsByCharacters) {
  EXPECT_EQ(plain_line("a\r\n\tb", 10), "a b");
  EXPECT_EQ(plain_line("a\u200Bb\u202Ec\U000E0041d", 10), "abcd");
  EXPECT_EQ(plain_line("<b>", 10), "‹b>");
  EXPECT_EQ(plain_line("pytest -q 2>&1", 20), "pytest -q 2>&1");  // A copied command runs.
  EXPECT_EQ(plain_line("äöüß", 2), "äö…");
}

TEST(PlainLineTest, NoControlTokenOfAChatTemplateIsLeft) {
  for (const std::string token : {"<|im_start|>",
                                  "<|im_end|>",
                                  "<|start_header_id|>",
                                  "<|eot_id|>",
                                  "<start_of_turn>",
                                  "<end_of_turn>",
                                  "<s>",
                                  "</s>",
                                  "<<SYS>>",
                                  "<</SYS>>",
                                  "[INST]",
                                  "[/INST]",
                                  "[SYSTEM_PROMPT]",
                                  "[/SYSTEM_PROMPT]",
                                  "[AVAILABLE_TOOLS]",
                                  "[TOOL_CALLS]",
                                  "[TOOL_RESULTS]",
                                  "[/TOOL_RESULTS]",
                                  "[THINK]",
                                  "[gMASK]",
                                  "<|user|>",
                                  "<|channel|>",
                                  "<think>"}) {
    const auto line = plain_line("before " + token + " after", 100);
    EXPECT_EQ(line.find(token), std::string::npos) << line;
    EXPECT_EQ(line.find("before "), 0u);
    EXPECT_NE(line.find(" after"), std::string::npos);
  }
}

TEST(PlainLineTest, OtherBracketsStay) {
  for (const std::string text :
       {"[1] see [INSTALL] and a[i]", "[main] INFO started", "[", "[INST", "[x](y)", "[]", "[/]"})
    EXPECT_EQ(plain_line(text, 100), text);
}

TEST(PlainLineTest, CutTokensDoNotJoinAgain) {
  EXPECT_EQ(plain_line("[IN\u200BST]", 100).find("[INST]"), std::string::npos);
  EXPECT_EQ(plain_line("[\u202EINST]", 100).find("[INST]"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr::engine
