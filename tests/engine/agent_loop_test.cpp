#include <array>
#include <memory>
#include <string>

#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::words;

constexpr std::array<const char*, 11> limit_names = {"RETRIES", "TIMEOUT", "BACKLOG",  "DEPTH", "WINDOW", "QUOTA",
                                                     "STRIDE",  "MARGIN",  "CAPACITY", "LEASE", "FANOUT"};

std::string value_of(std::size_t i) { return std::to_string(70'000 + 137 * i); }

/// An agent that has read eleven headers and is then asked about each, the state kept between its builds.
class AgentLoopTest : public testing::BuildTest {
 protected:
  void read_headers() {
    say(Role::user, "Read the headers in src; I have questions about them.");
    for (std::size_t i = 0; i < limit_names.size(); ++i) {
      const auto id = "read" + std::to_string(i);
      add(testing::tool_call(id, "read_file"));
      context_.conversation_history.back().tool_calls[0].arguments_json =
          R"({"path":"src/part)" + std::to_string(i) + R"(.h"})";
      const auto filler = "part" + std::to_string(i) + "_";
      add(testing::tool_result(
          id, words(500, filler) + "\n#define MAX_" + limit_names[i] + " " + value_of(i) + "\n" + words(500, filler)));
      keep_state();
    }
  }

  void keep_state() {
    const auto built = build(budget_);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_LE(built->metadata.input_tokens_used, budget_);
    request_.thread_state = built->thread_state;
    sent_ = testing::all_text(built->messages);
  }

  void ask_about_each(std::int64_t budget) {
    budget_ = budget;
    context_ = {};
    request_.thread_state = {};
    read_headers();
    for (std::size_t i = 0; i < limit_names.size(); ++i) {
      say(Role::user, std::string("What is MAX_") + limit_names[i] + " defined as?");
      keep_state();
      EXPECT_NE(sent_.find(value_of(i)), std::string::npos) << limit_names[i] << " at " << budget;
      say(Role::assistant, "It is in the header that I read.");
    }
  }

  std::int64_t budget_ = 0;
  std::string sent_;
};

TEST_F(AgentLoopTest, WhatWasReadIsThereWhenItIsAskedFor) {
  for (const std::int64_t budget : {6'000, 16'000, 32'000}) ask_about_each(budget);
}

TEST_F(AgentLoopTest, AnArchiveChangesNothingOfThat) {
  request_.archive = std::make_shared<testing::SpyArchive>();
  for (const std::int64_t budget : {6'000, 16'000, 32'000}) ask_about_each(budget);
}

TEST_F(AgentLoopTest, WithoutAStateItIsThereToo) {
  for (const std::int64_t budget : {6'000, 16'000, 32'000}) {
    budget_ = budget;
    context_ = {};
    read_headers();
    for (std::size_t i = 0; i < limit_names.size(); ++i) {
      request_.thread_state = {};
      say(Role::user, std::string("What is MAX_") + limit_names[i] + " defined as?");
      keep_state();
      EXPECT_NE(sent_.find(value_of(i)), std::string::npos) << limit_names[i] << " at " << budget;
      say(Role::assistant, "It is in the header that I read.");
    }
  }
}

}  // namespace
}  // namespace ctxmgr
