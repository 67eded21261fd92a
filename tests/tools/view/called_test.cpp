#include "view/called.hpp"

#include <gtest/gtest.h>

namespace ctxpack::view::test {
namespace {

TEST(CalledTest, AResultIsNamedByWhatWasCalled) {
  EXPECT_EQ(called(R"(read_file({"path":"harbour.md"}))"), "read_file harbour.md");
  EXPECT_EQ(called(R"(Bash({"command":"ls -l","timeout":5}), failed)"), "Bash ls -l 5, failed");
  EXPECT_EQ(called(R"(shell({"command":["bash","-lc","ls"]}))"), "shell bash -lc ls");
}

TEST(CalledTest, OtherTextStays) {
  for (const char* const text :
       {"", "report.pdf", "notes (old).md", "read_file({\"path\":\"cut off", "read_file([1])", "f(", ")("})
    EXPECT_EQ(called(text), text);
  const std::string long_text = "f(" + std::string(2'000, '[') + ")";
  EXPECT_EQ(called(long_text), long_text);
}

}  // namespace
}  // namespace ctxpack::view::test
