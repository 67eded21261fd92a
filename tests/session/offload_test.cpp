#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctxmgr/session/context_tools.hpp"
#include "session/isolation.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::session_options;
using testing::SpyArchive;
using testing::tool_result;

std::string long_log() {
  std::string text;
  for (int i = 0; i < 6'000; ++i)
    text += "line " + std::to_string(i) + (i == 3'000 ? ": the heliotrope valve is stuck\n" : ": all is well\n");
  return text;
}

OffloadPolicy over(std::int64_t tokens) {
  OffloadPolicy policy;
  policy.over_tokens = tokens;
  return policy;
}

TEST(OffloadTest, WhatIsSmallStaysAsItIs) {
  SpyArchive archive;
  const auto kept = offload(tool_result("c", "short"), archive);
  ASSERT_TRUE(kept);
  EXPECT_EQ(text_of(*kept), "short");
  EXPECT_TRUE(archive.kept.empty());
}

TEST(OffloadTest, WhatIsLargeBecomesHandleDigestHeadAndTail) {
  SpyArchive archive;
  const auto kept = offload(tool_result("c", long_log()), archive, over(5'000));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->tool_call_id, "c");
  const auto text = text_of(*kept);
  EXPECT_LT(make_approximate_token_counter()->count_message(*kept), 2'000);
  EXPECT_THAT(text, HasSubstr("get_context(\"result_c\")"));
  EXPECT_THAT(text, HasSubstr("line 0:"));
  EXPECT_THAT(text, HasSubstr("line 5999:"));
  EXPECT_THAT(text, Not(HasSubstr("heliotrope")));
  EXPECT_EQ(archive.kept.size(), 1U);
}

TEST(OffloadTest, TheSameResultGivesTheSameText) {
  SpyArchive archive;
  const auto once = offload(tool_result("c", long_log()), archive, over(5'000));
  const auto again = offload(tool_result("c", long_log()), archive, over(5'000));
  EXPECT_EQ(text_of(*once), text_of(*again));
}

TEST(OffloadTest, WhereTheArchiveFailsNothingIsLost) {
  SpyArchive archive;
  archive.mood = SpyArchive::Mood::fails;
  EXPECT_EQ(offload(tool_result("c", long_log()), archive, over(5'000)).error().code, ErrorCode::unavailable);
  archive.mood = SpyArchive::Mood::throws;
  EXPECT_FALSE(offload(tool_result("c", long_log()), archive, over(5'000)));
}

TEST(OffloadTest, APolicyThatKeepsNothingIsRefused) {
  SpyArchive archive;
  OffloadPolicy policy;
  policy.kept_tokens = 0;
  EXPECT_EQ(offload(tool_result("c", "x"), archive, policy).error().code, ErrorCode::invalid_argument);
}

TEST(OffloadTest, TheToolsReadAndSearchWhatWasOffloaded) {
  const auto session = ContextStore::open(session_options(make_memory_key_value_store(), "s")).value();
  const auto kept = offload(tool_result("c", long_log()), *session, over(5'000));
  ASSERT_TRUE(kept) << kept.error().message;
  const auto text = text_of(*kept);
  const auto begin = text.find("get_context(\"") + 13;
  const auto key = text.substr(begin, text.find('"', begin) - begin);
  const ContextTools tools(session->as_agent("agent"));
  const auto page = text_of(tools.run({"d", "get_context", R"({"key":")" + key + "\"}", {}}));
  EXPECT_THAT(page, HasSubstr("line 0:"));
  EXPECT_LE(make_approximate_token_counter()->count(page), 2'000);
  const auto found =
      text_of(tools.run({"e", "get_context", R"({"key":")" + key + R"(","search":"heliotrope valve"})", {}}));
  EXPECT_THAT(found, HasSubstr("the heliotrope valve is stuck"));
}

}  // namespace
}  // namespace ctxmgr
