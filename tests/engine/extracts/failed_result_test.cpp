#include "engine/extracts/failed_result.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ctxmgr::engine {
namespace {

TEST(FailedResultTest, WhatToolsWriteWhenTheyFailIsAFailure) {
  for (const char* text :
       {"Error: no such file", "fatal: not a repository", "out\nerror: expected ';'\ndone",
        "ok\nTraceback (most recent call last):\n  File", "<returncode>1</returncode>", "Output: x\nExit Code: 127"})
    EXPECT_TRUE(is_failed_result(text)) << text;
}

TEST(FailedResultTest, WhatSaysThatThereIsNoneIsNone) {
  for (const char* text : {"Error: (none)", "Output: x\nError: (none)\nExit Code: 0", "error: null", "Error: 0",
                           "<returncode>0</returncode>", "An error in the book", "src/error.cpp", ""})
    EXPECT_FALSE(is_failed_result(text)) << text;
}

}  // namespace
}  // namespace ctxmgr::engine
