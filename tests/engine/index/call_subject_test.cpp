#include "engine/index/call_subject.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(CallSubjectTest, APathIsTheSameThroughAnotherToolAndInAPart) {
  const CallSubject whole = subject_of(R"(read_file({"path":"src/a.py"}))");
  const CallSubject part = subject_of(R"(read_file({"path":"src/a.py","offset":20,"limit":40}))");
  const CallSubject other = subject_of(R"(view({"file":"./src/a.py"}))");
  EXPECT_NE(whole.subject, 0U);
  EXPECT_EQ(whole.subject, part.subject);
  EXPECT_EQ(whole.subject, other.subject);
  EXPECT_EQ(whole.tool, part.tool);
  EXPECT_NE(whole.tool, other.tool);
  EXPECT_EQ(whole.part, 0U);
  EXPECT_NE(part.part, 0U);
}

TEST(CallSubjectTest, OfACommandLineTheProgramIsTheTool) {
  const CallSubject cat = subject_of(R"(bash({"command":"cat -n src/a.py"}))");
  EXPECT_EQ(cat.subject, subject_of(R"(read_file({"path":"src/a.py"}))").subject);
  EXPECT_EQ(cat.part, 0U);
  EXPECT_NE(cat.tool, subject_of(R"(bash({"command":"python src/a.py"}))").tool);
  EXPECT_NE(subject_of(R"(bash({"command":"sed -n 1,20p src/a.py"}))").part, 0U);
  EXPECT_NE(cat.subject, subject_of(R"(bash({"command":"grep needle src/a.py"}))").subject);
}

TEST(CallSubjectTest, WhatChangesAFileIsAboutSomethingElse) {
  EXPECT_NE(subject_of(R"(edit({"path":"a","old":"x","new":"y"}))").subject,
            subject_of(R"(read({"path":"a"}))").subject);
}

TEST(CallSubjectTest, WithoutArgumentsThereIsNoSubject) {
  for (const char* call : {"", "time", "time()", "time({})", "read(no json)", R"(page({"number":3}))"})
    EXPECT_EQ(subject_of(call).subject, 0U) << call;
}

}  // namespace
}  // namespace ctxmgr::engine
