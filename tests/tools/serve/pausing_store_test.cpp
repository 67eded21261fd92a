#include "serve/pausing_store.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/testing/manual_clock.hpp"

namespace ctxpack::serve::test {
namespace {

using ctxmgr::CallOptions;
using ctxmgr::Result;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Fails as long as it is told to, and counts.
class HangingStore final : public ctxmgr::KeyValueStore {
 public:
  Result<std::vector<std::optional<ctxmgr::StoredValue>>> read(std::string_view, const std::vector<std::string>& keys,
                                                               const CallOptions&) override {
    ++calls;
    if (error) return ctxmgr::fail(*error, "no");
    return std::vector<std::optional<ctxmgr::StoredValue>>(keys.size());
  }
  Result<std::uint64_t> write(std::string_view, const std::vector<ctxmgr::KeyValueWrite>&,
                              const CallOptions&) override {
    ++calls;
    if (error) return ctxmgr::fail(*error, "no");
    return std::uint64_t{1};
  }
  Result<std::vector<ctxmgr::KeyInfo>> list(std::string_view, std::string_view, std::string_view, std::size_t,
                                            const CallOptions&) override {
    ++calls;
    return std::vector<ctxmgr::KeyInfo>();
  }
  Result<void> erase_namespace(std::string_view, const CallOptions&) override {
    ++calls;
    return {};
  }
  std::optional<ctxmgr::ErrorCode> error = ctxmgr::ErrorCode::unavailable;
  int calls = 0;
};

TEST(PausingStoreTest, AStoreThatHangsCostsOneCallAndIsAskedAgainLater) {
  const auto store = std::make_shared<HangingStore>();
  auto now = steady_clock::now();
  const auto paused = pausing(store, seconds(5), [&] { return now; });
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(paused->read("n", {"k"}, {}));
    EXPECT_FALSE(paused->write("n", {{"k", "v", {}, {}}}, {}));
    EXPECT_FALSE(paused->list("n", "", "", 1, {}));
    EXPECT_FALSE(paused->erase_namespace("n", {}));
  }
  EXPECT_EQ(store->calls, 1);
  now += seconds(6);
  EXPECT_FALSE(paused->read("n", {"k"}, {}));
  EXPECT_FALSE(paused->read("n", {"k"}, {}));
  EXPECT_EQ(store->calls, 2);
  store->error.reset();
  now += seconds(6);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(paused->read("n", {"k"}, {}));
  EXPECT_EQ(store->calls, 5);
}

TEST(PausingStoreTest, AnAnswerThatIsNoIsAnAnswer) {
  const auto store = std::make_shared<HangingStore>();
  store->error = ctxmgr::ErrorCode::conflict;
  const auto paused = pausing(store, seconds(5));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(paused->write("n", {{"k", "v", {}, 0}}, {}));
  EXPECT_EQ(store->calls, 3);
}

TEST(PausingStoreTest, WhatIsWrittenWithoutATimeGetsOne) {
  const auto clock = std::make_shared<ctxmgr::testing::ManualClock>();
  ctxmgr::MemoryKeyValueStoreOptions options;
  options.clock = clock;
  const auto store = expiring(ctxmgr::make_memory_key_value_store(options), std::chrono::hours(1));
  ASSERT_TRUE(store->write("n", {{"default", "v", {}, {}}, {"own", "v", std::chrono::hours(3), {}}}, {}));
  ASSERT_TRUE(store->write(secrets_name_space, {{"secret", "v", {}, {}}}, {}));
  clock->advance(std::chrono::hours(2));
  const auto values = store->read("n", {"default", "own"}, {});
  ASSERT_TRUE(values);
  EXPECT_FALSE(values->at(0));
  EXPECT_TRUE(values->at(1));
  EXPECT_TRUE(store->read(secrets_name_space, {"secret"}, {})->at(0));
}

TEST(ExpiringStoreTest, AFullStoreIsNotTheFaultOfWhoWrites) {
  const auto full = std::make_shared<HangingStore>();
  full->error = ctxmgr::ErrorCode::limit_exceeded;
  const auto store = expiring(full, seconds(9));
  EXPECT_EQ(store->write("a", {{"k", "v", {}, {}}}, {}).error().code, ctxmgr::ErrorCode::unavailable);
  const std::string too_large(ctxmgr::max_value_bytes + 1, 'x');
  EXPECT_EQ(store->write("a", {{"k", too_large, {}, {}}}, {}).error().code, ctxmgr::ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace ctxpack::serve::test
