#include "engine/structure/call_line.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(CallLineTest, IsTheCallAsPeopleWriteIt) {
  EXPECT_EQ(call_line("read", R"({"path":"src/a.cpp","lines":[1,20],"all":true})", 40), "read(src/a.cpp, 1, 20)");
  EXPECT_EQ(call_line("list", "{}", 40), "list");
  EXPECT_EQ(call_line("bash", "ls -l", 40), "bash(ls -l)");
}

TEST(CallLineTest, IsOneShortLineWhateverTheArguments) {
  const auto line = call_line("write", R"({"text":"one\n\n two ééééééééé"})", 12);
  EXPECT_EQ(line, "write(one two éé…)");
}

}  // namespace
}  // namespace ctxmgr::engine
