#include "ctxmgr/ports/key_value_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <map>
#include <thread>

#include "adapters/long_listing.hpp"
#include "adapters/quiet_errors.hpp"
#include "adapters/recorded_history.hpp"

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;

/// Time that the test moves; this binary stands without the testing component.
class FakeClock final : public Clock {
 public:
  void advance(std::chrono::milliseconds by) { elapsed_ms_ += by.count(); }
  Timestamp now() const override { return Timestamp(std::chrono::milliseconds(elapsed_ms_)); }
  std::chrono::steady_clock::time_point steady_now() const override {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(elapsed_ms_));
  }
  void sleep_until(std::chrono::steady_clock::time_point, const CallOptions&) override {}

 private:
  std::atomic<std::int64_t> elapsed_ms_{0};
};

class MemoryKeyValueStoreTest : public ::testing::Test {
 protected:
  void open(std::size_t max_bytes, bool evict_when_full) {
    store_ = make_memory_key_value_store({max_bytes, evict_when_full, clock_});
  }

  Result<std::uint64_t> put(std::string key, std::size_t bytes) {
    return store_->write("n", {{std::move(key), std::string(bytes, 'v'), {}, {}}}, {});
  }

  bool has(const std::string& key) { return store_->read("n", {key}, {}).value().at(0).has_value(); }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::unique_ptr<KeyValueStore> store_ = make_memory_key_value_store({64 << 20, false, clock_});
};

TEST_F(MemoryKeyValueStoreTest, EvictsTheLeastRecentlyUsedFirst) {
  open(4'000, true);
  ASSERT_TRUE(put("a", 1'000) && put("b", 1'000) && put("c", 1'000));
  ASSERT_TRUE(has("a"));  // used
  ASSERT_TRUE(put("d", 1'000));
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("c") && has("d"));
}

TEST_F(MemoryKeyValueStoreTest, RefusesWhatDoesNotFitAndKeepsWhatIsThere) {
  open(2'000, false);
  ASSERT_TRUE(put("a", 1'000));
  EXPECT_EQ(put("b", 1'000).error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(has("a"));
  EXPECT_TRUE(put("a", 1'500)) << "replacing frees what was there";
}

TEST_F(MemoryKeyValueStoreTest, NeverEvictsEverythingForOneValueThatCannotFit) {
  open(2'000, true);
  ASSERT_TRUE(put("a", 1'000));
  EXPECT_EQ(put("b", 5'000).error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(has("a"));
}

TEST_F(MemoryKeyValueStoreTest, ExpiredEntriesMakeRoom) {
  open(2'000, false);
  ASSERT_TRUE(store_->write("n", {{"a", std::string(1'500, 'v'), 10ms, {}}}, {}));
  clock_->advance(10ms);
  EXPECT_TRUE(put("b", 1'500));
}

TEST_F(MemoryKeyValueStoreTest, JudgesDeadlinesByItsClock) {
  CallOptions call;
  call.deadline = clock_->steady_now() + 1s;
  EXPECT_TRUE(store_->read("n", {"a"}, call));
  clock_->advance(1s);
  EXPECT_EQ(store_->read("n", {"a"}, call).error().code, ErrorCode::deadline_exceeded);
}

TEST_F(MemoryKeyValueStoreTest, AgreesWithAMapWhateverIsWritten) {
  EXPECT_TRUE(rc::check([](const std::vector<std::tuple<std::uint8_t, bool, std::string>>& operations) {
    const auto store = make_memory_key_value_store({});
    std::map<std::string, std::string> expected;
    for (const auto& [number, erased, text] : operations) {
      const auto value = erased ? std::nullopt : std::optional(text);
      const std::string key(1, static_cast<char>(number % 8 + 'a'));
      RC_ASSERT(store->write("n", {{key, value, {}, {}}}, {}).has_value());
      value ? void(expected[key] = *value) : void(expected.erase(key));
    }
    const auto listed = store->list("n", "", "", 100, {}).value();
    RC_ASSERT(listed.size() == expected.size());
    for (const auto& info : listed) {
      RC_ASSERT(store->read("n", {info.key}, {}).value().at(0).value().value == expected.at(info.key));
    }
  }));
}

TEST_F(MemoryKeyValueStoreTest, ALongListingIsStableWhileOthersWrite) {
  open(std::size_t{1} << 30, false);
  testing::expect_listing_is_stable(*store_);
}

TEST_F(MemoryKeyValueStoreTest, ErrorsQuoteNothing) {
  EXPECT_EQ(testing::expect_errors_quote_nothing(*store_), 7);
  open(0, false);
  EXPECT_EQ(testing::expect_errors_quote_nothing(*store_), 8);
}

TEST_F(MemoryKeyValueStoreTest, TakesAHundredThousandKeysOfAnyChoiceInOrder) {
  const auto store = make_memory_key_value_store({});
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<KeyValueWrite> changes;
    for (int i = 0; i < 1'000; ++i) changes.push_back({std::to_string(batch * 1'000 + i), "v", {}, {}});
    ASSERT_TRUE(store->write("n", changes, {}));
  }
  EXPECT_EQ(store->list("n", "", "", 200'000, {}).value().size(), 100'000u);
}

TEST(MemoryKeyValueStoreThreadsTest, CallsOnOneKeyAreLinearizable) {
  const auto make = [] { return make_memory_key_value_store(); };
  testing::expect_linearizable(make, {0, 4, 2, 100}, 30);
  testing::expect_linearizable(make, {0, 64, 8, 8}, 10);
}

TEST(MemoryKeyValueStoreThreadsTest, EvictsUnderContentionWithoutBreaking) {
  const auto store = make_memory_key_value_store({8'000, true, {}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto key = std::to_string((t * 7 + i) % 40);
        ASSERT_TRUE(store->write(key, {{key, std::string(500, 'v'), 1ms * (1 + i % 3), {}}}, {}));
        const auto read = store->read(key, {key}, {});
        ASSERT_TRUE(read);
        ASSERT_TRUE(store->list(key, "", "", 10, {}));
        if (i % 50 == 0) {
          ASSERT_TRUE(store->erase_namespace(key, {}));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace ctxmgr
