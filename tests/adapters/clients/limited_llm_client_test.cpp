#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ctxmgr/testing/manual_clock.hpp"
#include "ctxmgr/testing/scripted_llm_client.hpp"

namespace ctxmgr {
namespace {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedLlmClient;

class LimitedLlmClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<LlmClient> limited_to(std::size_t calls_per_minute, std::size_t max_parallel = 1) {
    for (int i = 0; i < 50; ++i) script_->then_reply(std::to_string(i));
    return make_limited_llm_client(script_, {max_parallel, calls_per_minute, clock_});
  }

  [[nodiscard]] milliseconds elapsed() const {
    return std::chrono::duration_cast<milliseconds>(clock_->steady_now().time_since_epoch());
  }

  std::shared_ptr<ScriptedLlmClient> script_ = std::make_shared<ScriptedLlmClient>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(LimitedLlmClientTest, SpreadsCallsOverTheMinute) {
  const auto client = limited_to(60);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(4'000));
}

TEST_F(LimitedLlmClientTest, BurstsAreAsLargeAsWhatMayRunAtATime) {
  const auto client = limited_to(60, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(0));
  EXPECT_TRUE(client->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(1'000));
}

TEST_F(LimitedLlmClientTest, WithoutALimitNobodyWaits) {
  const auto client = limited_to(0);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(client->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(0));
}

TEST_F(LimitedLlmClientTest, ATurnThatWouldComeTooLateIsNotWaitedFor) {
  const auto client = limited_to(1);
  EXPECT_TRUE(client->complete({}, {}));
  CallOptions call;
  call.deadline = clock_->steady_now() + milliseconds(30'000);
  EXPECT_EQ(client->complete({}, call).error().code, ErrorCode::deadline_exceeded);
  EXPECT_EQ(elapsed(), milliseconds(0));
  EXPECT_TRUE(client->complete({}, {}));
  EXPECT_EQ(elapsed(), milliseconds(60'000));
}

TEST_F(LimitedLlmClientTest, BatchesAnswerInOrder) {
  const auto client = limited_to(0, 4);
  const auto results = client->complete_all(std::vector<LlmRequest>(10), {});
  ASSERT_EQ(results.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(text_of(results[i]->message), std::to_string(i));
}

TEST_F(LimitedLlmClientTest, ACancelledCallIsNotMade) {
  const auto client = limited_to(60);
  EXPECT_TRUE(client->complete({}, {}));
  CallOptions call;
  call.cancellation = CancellationToken([] { return true; });
  EXPECT_EQ(client->complete({}, call).error().code, ErrorCode::cancelled);
  EXPECT_EQ(script_->requests().size(), 1U);
}

TEST(LimitedLlmClientThreadsTest, NoMoreRunAtATimeThanAllowed) {
  std::atomic<int> running{0}, most{0};
  std::shared_ptr<LlmClient> inner = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --running;
    return LlmResponse{};
  });
  const auto client = make_limited_llm_client(inner, {3, 0, nullptr});
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        if (i % 3 == 0) {
          EXPECT_EQ(client->complete_all(std::vector<LlmRequest>(5), {}).size(), 5U);
        } else {
          EXPECT_TRUE(client->complete({}, {}));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
}

TEST(LimitedLlmClientThreadsTest, ATenantThatFloodsItsOwnLimitDoesNotHoldUpAnother) {
  std::mutex mutex;
  std::condition_variable changed;
  int floods = 0;
  bool release = false;
  // Answers nothing of the first tenant's until it is told to.
  const std::shared_ptr<LlmClient> service =
      make_llm_client([&](const LlmRequest& request, const CallOptions&) -> Result<LlmResponse> {
        if (request.model == "quiet") return LlmResponse{};
        std::unique_lock lock(mutex);
        ++floods;
        changed.notify_all();
        changed.wait(lock, [&] { return release; });
        return LlmResponse{};
      });
  const auto flooding = make_limited_llm_client(service, {2, 0, nullptr});
  const auto quiet = make_limited_llm_client(service, {2, 0, nullptr});
  std::vector<std::thread> flood;
  for (int i = 0; i < 20; ++i) flood.emplace_back([&] { EXPECT_TRUE(flooding->complete({}, {})); });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return floods == 2; });
  }
  LlmRequest request;
  request.model = "quiet";
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(quiet->complete(request, {}));
  {
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(floods, 2) << "the others are still waiting for their turn";
    release = true;
  }
  changed.notify_all();
  for (auto& thread : flood) thread.join();
}

TEST(LimitedLlmClientThreadsTest, CancellationEndsTheWaitForATurn) {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false, release = false;
  std::shared_ptr<LlmClient> inner = make_llm_client([&](const LlmRequest&, const CallOptions&) -> Result<LlmResponse> {
    std::unique_lock lock(mutex);
    entered = true;
    changed.notify_all();
    changed.wait(lock, [&] { return release; });
    return LlmResponse{};
  });
  const auto client = make_limited_llm_client(inner, {1, 0, nullptr});
  std::thread holder([&] { EXPECT_TRUE(client->complete({}, {})); });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return entered; });
  }
  std::atomic<int> polls{0};
  CallOptions call;
  call.cancellation = CancellationToken([&] { return ++polls > 2; });
  EXPECT_EQ(client->complete({}, call).error().code, ErrorCode::cancelled);
  {
    const std::lock_guard lock(mutex);
    release = true;
  }
  changed.notify_all();
  holder.join();
}

}  // namespace
}  // namespace ctxmgr
