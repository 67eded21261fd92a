#include "ctxmgr/ports/llm_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "support/no_threads.hpp"

namespace ctxmgr {
namespace {

LlmResponse reply(std::string text) {
  LlmResponse response;
  response.message.role = Role::assistant;
  response.message.content = std::move(text);
  return response;
}

std::vector<LlmRequest> requests_for(std::size_t count) {
  std::vector<LlmRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) requests[i].model = std::to_string(i);
  return requests;
}

/// Overrides nothing but `complete`: `complete_all` is the port's own.
class EchoClient final : public LlmClient {
 public:
  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions&) override {
    if (request.model == "3") throw std::runtime_error("secret");
    if (request.model == "5") return fail(ErrorCode::denied, "not this one");
    return reply(request.model);
  }
};

TEST(LlmClientTest, CompleteAllAnswersInTheOrderOfTheRequests) {
  EchoClient client;
  const auto results = client.complete_all(requests_for(50), {});
  ASSERT_EQ(results.size(), 50U);
  for (std::size_t i = 6; i < results.size(); ++i) EXPECT_EQ(text_of(results[i]->message), std::to_string(i));
}

TEST(LlmClientTest, AFailureOrAnExceptionDoesNotStopTheOthers) {
  EchoClient client;
  const auto results = client.complete_all(requests_for(8), {});
  EXPECT_EQ(results[3].error().code, ErrorCode::internal);
  EXPECT_EQ(results[3].error().message.find("secret"), std::string::npos);
  EXPECT_EQ(results[5].error().code, ErrorCode::denied);
  EXPECT_TRUE(results[7]);
}

TEST(LlmClientTest, NothingAskedIsNothingAnswered) { EXPECT_TRUE(EchoClient().complete_all({}, {}).empty()); }

TEST(LlmClientTest, AfterCancellationNoFurtherCallIsMade) {
  std::atomic<int> calls{0};
  const auto client = make_llm_client(
      [&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
        ++calls;
        return reply("done");
      },
      1);
  CallOptions call;
  call.cancellation = CancellationToken([&] { return calls >= 2; });
  const auto results = client->complete_all(requests_for(5), call);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(results[1]);
  EXPECT_EQ(results[2].error().code, ErrorCode::cancelled);
}

TEST(LlmClientTest, WithoutThreadsTheCallerDoesTheWork) {
  EchoClient client;
  const testing::NoThreads no_threads;
  if (!no_threads.works()) GTEST_SKIP() << "the C library does not let its default stack size be set";
  const auto results = client.complete_all(requests_for(20), {});
  EXPECT_EQ(text_of(results[19]->message), "19");
}

TEST(LlmClientTest, AThrowingFunctionIsAnInternalError) {
  const auto client = make_llm_client(
      [](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> { throw std::runtime_error("secret"); });
  const auto result = client->complete({}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::internal);
  EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
}

TEST(LlmClientTest, AnEmptyFunctionIsAnInternalError) {
  EXPECT_EQ(make_llm_client(nullptr)->complete({}, {}).error().code, ErrorCode::internal);
}

TEST(LlmClientTest, OneAtATimeStaysInTheCallersThread) {
  std::set<std::thread::id> threads;
  const auto client = make_llm_client(
      [&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
        threads.insert(std::this_thread::get_id());
        return reply("");
      },
      1);
  EXPECT_EQ(client->complete_all(requests_for(20), {}).size(), 20U);
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(LlmClientThreadsTest, EightCallsRunAtTheSameTimeAndNoMore) {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0, most = 0, arrived = 0;
  const auto client = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    std::unique_lock lock(mutex);
    most = std::max(most, ++running);
    if (++arrived == 8) changed.notify_all();
    changed.wait(lock, [&] { return arrived >= 8; });  // Never returns unless eight are here at once.
    --running;
    return reply("");
  });
  EXPECT_EQ(client->complete_all(requests_for(40), {}).size(), 40U);
  EXPECT_EQ(most, 8);
}

}  // namespace
}  // namespace ctxmgr
