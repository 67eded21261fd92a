#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using testing::ScriptedLlmClient;

LlmRequest request_to(std::string model) {
  LlmRequest request;
  request.model = std::move(model);
  return request;
}

class RecordingLlmClientTest : public ::testing::Test {
 protected:
  ~RecordingLlmClientTest() override { std::remove(path_.c_str()); }

  const std::string path_ = ::testing::TempDir() + "cassette-" + std::to_string(getpid()) + "-" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
  std::shared_ptr<ScriptedLlmClient> script_ = std::make_shared<ScriptedLlmClient>();
};

TEST_F(RecordingLlmClientTest, WhatWasRecordedIsReplayed) {
  script_->then_reply("one").then_reply("two").then_fail({ErrorCode::denied, "no"});
  {
    const auto recorder = make_recording_llm_client(script_, path_);
    ASSERT_TRUE(recorder);
    EXPECT_TRUE((*recorder)->complete(request_to("a"), {}));
    EXPECT_EQ((*recorder)->complete_all({request_to("b"), request_to("c")}, {}).size(), 2U);
  }
  const auto player = make_replaying_llm_client(path_);
  ASSERT_TRUE(player) << player.error().message;
  EXPECT_EQ((*player)->complete(request_to("c"), {}).error().code, ErrorCode::denied);
  EXPECT_EQ(text_of((*player)->complete(request_to("b"), {})->message), "two");
  EXPECT_EQ(text_of((*player)->complete(request_to("a"), {})->message), "one");
  EXPECT_EQ((*player)->complete(request_to("d"), {}).error().code, ErrorCode::not_found);
}

TEST_F(RecordingLlmClientTest, EqualRequestsAreReplayedInOrder) {
  script_->then_reply("one").then_reply("two");
  EXPECT_EQ((*make_recording_llm_client(script_, path_))->complete_all({{}, {}}, {}).size(), 2U);
  const auto player = make_replaying_llm_client(path_);
  for (const char* expected : {"one", "two", "two"}) {
    EXPECT_EQ(text_of((*player)->complete({}, {})->message), expected);
  }
}

TEST_F(RecordingLlmClientTest, WhenAndWhereAMessageWasStoredDoesNotMatter) {
  LlmRequest request = request_to("a");
  request.messages = {{Role::user, "hi"}};
  script_->then_reply("one");
  {
    const auto recorder = make_recording_llm_client(script_, path_);
    request.messages[0].created_at = Timestamp(std::chrono::milliseconds(1'700'000'000'000));
    request.messages[0].sequence_number = 7;
    request.messages[0].agent = "critic";
    EXPECT_TRUE((*recorder)->complete(request, {}));
  }
  const auto player = make_replaying_llm_client(path_);
  request.messages[0].created_at = Timestamp(std::chrono::milliseconds(1'800'000'000'000));
  request.messages[0].sequence_number = 9;
  request.purpose = LlmPurpose::summarization;
  EXPECT_EQ(text_of((*player)->complete(request, {})->message), "one");
  request.messages[0].content = "hello";
  EXPECT_EQ((*player)->complete(request, {}).error().code, ErrorCode::not_found);
}

TEST_F(RecordingLlmClientTest, HalfALineAtTheEndSpoilsNothing) {
  script_->then_reply("one").then_reply("two");
  EXPECT_TRUE((*make_recording_llm_client(script_, path_))->complete(request_to("a"), {}));
  std::ofstream(path_, std::ios::app) << R"({"v":1,"request":{"model":"b","mess)";
  EXPECT_EQ(text_of((*make_replaying_llm_client(path_).value()).complete(request_to("a"), {})->message), "one");
  EXPECT_TRUE((*make_recording_llm_client(script_, path_))->complete(request_to("c"), {}));
  const auto player = make_replaying_llm_client(path_);
  ASSERT_TRUE(player) << player.error().message;
  EXPECT_EQ(text_of((*player)->complete(request_to("a"), {})->message), "one");
  EXPECT_EQ(text_of((*player)->complete(request_to("c"), {})->message), "two");
}

TEST_F(RecordingLlmClientTest, TheFileIsForItsOwnerAlone) {
  ASSERT_TRUE(make_recording_llm_client(script_, path_));
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(RecordingLlmClientTest, CancelledCallsAreNotRecorded) {
  script_->then_fail({ErrorCode::cancelled, ""});
  EXPECT_FALSE((*make_recording_llm_client(script_, path_))->complete({}, {}));
  EXPECT_EQ((*make_replaying_llm_client(path_))->complete({}, {}).error().code, ErrorCode::not_found);
}

TEST_F(RecordingLlmClientTest, FilesThatCannotBeOpenedAreRefused) {
  EXPECT_EQ(make_recording_llm_client(script_, "/no/such/directory/x").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(make_replaying_llm_client(path_).error().code, ErrorCode::invalid_argument);
}

TEST_F(RecordingLlmClientTest, ThereMustBeAClient) {
  EXPECT_EQ(make_recording_llm_client(nullptr, "/dev/null").error().code, ErrorCode::invalid_argument);
}

TEST_F(RecordingLlmClientTest, AClientThatMiscountsItsRepliesOrThrowsGivesNone) {
  class Miscounting final : public LlmClient {
   public:
    Result<LlmResponse> complete(const LlmRequest&, const CallOptions&) override { throw 7; }
    std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>&, const CallOptions&) override {
      return {LlmResponse{}};
    }
  };
  const auto recorder = make_recording_llm_client(std::make_shared<Miscounting>(), path_);
  const auto results = (*recorder)->complete_all({{}, {}}, {});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].error().code, ErrorCode::internal);
  EXPECT_EQ((*recorder)->complete({}, {}).error().code, ErrorCode::internal);
}

TEST_F(RecordingLlmClientTest, AFullDiskIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  script_->then_reply("lost");
  const auto recorder = make_recording_llm_client(script_, "/dev/full");
  EXPECT_EQ((*recorder)->complete({}, {}).error().code, ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace ctxmgr
