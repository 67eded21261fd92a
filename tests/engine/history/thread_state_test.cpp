#include "engine/history/thread_state.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

ThreadMemory memory() {
  ThreadMemory memory;
  memory.messages = 12;
  memory.history = {1, 2};
  memory.max_input = 4'000;
  memory.cut = 3;
  memory.mask_before = 7;
  memory.extracts = {{8, 200}, {9, 300}};
  memory.question = {3, 4};
  memory.block_tokens = 500;
  memory.stable = {10, 900, {5, 6}};
  memory.complete = {12, 1'000, {7, 8}};
  memory.warned_percent = 85;
  return memory;
}

TEST(ThreadStateTest, ComesBackAsItWas) {
  auto written = memory();
  written.plan = ArtifactPlan{{{"doc", ProcessingStrategy::summarize, 1, "why", "focus"}}, "reasoning"};
  const auto read = decode(encode(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), encode(written));
  EXPECT_EQ(read->cut, 3U);
  EXPECT_EQ(read->extracts.at(9), 300);
  EXPECT_EQ(read->plan->artifacts[0].summarization_focus, "focus");
}

TEST(ThreadStateTest, IsNeverLongerThanItsBound) {
  auto written = memory();
  written.plan = ArtifactPlan{{{"doc", ProcessingStrategy::summarize, 1, std::string(5'000, 'x')}}, {}};
  for (std::size_t i = 0; i < 1'000; ++i) written.extracts[1'000'000'000 + i] = 1'000'000;
  const auto text = encode(written);
  EXPECT_LE(text.size(), 4'096U);
  const auto read = decode(text);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->plan);
  EXPECT_EQ(read->extracts.count(1'000'000'999), 1U);  // The newest are kept.
}

TEST(ThreadStateTest, AnythingElseIsNotOne) {
  const auto good = encode(memory());
  for (const std::string& text : {std::string(), std::string("{}"), good.substr(0, good.size() / 2),
                                  good + "\nnot a plan", good + " 7", "x" + good, std::string(5'000, ' ')})
    EXPECT_FALSE(decode(text)) << text.substr(0, 40);
}

TEST(ThreadStateTest, AbsurdFiguresAreRefused) {
  auto written = memory();
  written.block_tokens = INT64_MAX;
  EXPECT_FALSE(decode(encode(written)));
  written = memory();
  written.extracts[3] = -1;
  EXPECT_FALSE(decode(encode(written)));
}

}  // namespace
}  // namespace ctxmgr::engine
