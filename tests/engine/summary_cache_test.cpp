#include "ctxmgr/engine/summary_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ctxmgr {
namespace {

using namespace std::chrono_literals;
using Focuses = std::vector<std::string>;

SummaryKey key_of(std::string content_hash, std::string focus = "prices") {
  SummaryKey key;
  key.scope = "session-1";
  key.artifact_id = "a";
  key.content_hash = std::move(content_hash);
  key.focus = std::move(focus);
  key.model = "m";
  key.target_tokens = 400;
  key.prompt_version = "1";
  return key;
}

/// A store that does what it is told to do wrong.
class FaultyStore final : public KeyValueStore {
 public:
  enum class Fault { none, fails, throws, answers_with_another_key, answers_with_fewer };

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto broken = break_down(); !broken) return tl::unexpected(broken.error());
    if (fault == Fault::answers_with_fewer) return std::vector<std::optional<StoredValue>>{};
    if (fault != Fault::answers_with_another_key) return inner_->read(name_space, keys, call);
    const auto listed = inner_->list(name_space, "", keys.front(), 1, call).value();
    const auto other = listed.empty() ? inner_->list(name_space, "", "", 1, call).value() : listed;
    return inner_->read(name_space, std::vector<std::string>(keys.size(), other.at(0).key), call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto broken = break_down(); !broken) return tl::unexpected(broken.error());
    return inner_->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view, std::string_view, std::string_view, std::size_t,
                                    const CallOptions&) override {
    return fail(ErrorCode::internal, "not used");
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return inner_->erase_namespace(name_space, call);
  }

  Fault fault = Fault::none;

 private:
  Result<void> break_down() const {
    if (fault == Fault::throws) throw std::runtime_error("down");
    if (fault == Fault::fails) return fail(ErrorCode::unavailable, "down");
    return {};
  }

  std::unique_ptr<KeyValueStore> inner_ = make_memory_key_value_store();
};

class SummaryCacheTest : public ::testing::Test {
 protected:
  /// A summariser that counts its calls.
  std::function<Result<std::string>(const CallOptions&)> summarizer(Result<std::string> reply) {
    return [this, reply](const CallOptions&) {
      ++calls_;
      return reply;
    };
  }

  std::shared_ptr<FaultyStore> store_ = std::make_shared<FaultyStore>();
  SummaryCache cache_{{store_, 1h, {}, {}}};
  int calls_ = 0;
};

TEST_F(SummaryCacheTest, MakesASummaryOnce) {
  EXPECT_EQ(cache_.get_or_compute(key_of("h"), summarizer("Net 30.")).value(), "Net 30.");
  EXPECT_EQ(cache_.get_or_compute(key_of("h"), summarizer("other")).value(), "Net 30.");
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(cache_.stats().hits, 1);
  EXPECT_EQ(cache_.stats().misses, 1);
  EXPECT_DOUBLE_EQ(cache_.stats().hit_rate(), 0.5);
}

TEST_F(SummaryCacheTest, FindsASummaryAgainUnderTheSameFocusInOtherTypographyAndANearbyTarget) {
  cache_.store(key_of("h", "What are the Prices?"), "Net 30.");
  auto key = key_of("h", "  what are\nthe  prices");
  key.target_tokens = 500;
  EXPECT_EQ(cache_.lookup(key), "Net 30.");
  key.target_tokens = 600;
  EXPECT_EQ(cache_.lookup(key), std::nullopt);
}

TEST_F(SummaryCacheTest, OverASharedStoreAKeyWithoutAScopeIsAnErrorAndKeepsNothing) {
  auto key = key_of("h", "what Ada owes");
  key.scope = "";
  cache_.store(key, "Ada owes 7.");
  EXPECT_EQ(cache_.lookup(key), std::nullopt);
  EXPECT_TRUE(cache_.focuses("", {"h"}).front().empty());
  const auto refused = cache_.get_or_compute(key, summarizer("one"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find("scope"), std::string::npos);
  EXPECT_EQ(calls_, 0);
}

TEST_F(SummaryCacheTest, WithoutAScopeASummaryIsKeptInTheProcessButNotWhatItWasAskedFor) {
  const SummaryCache cache;
  auto key = key_of("h", "what Ada owes");
  key.scope = "";
  EXPECT_EQ(cache.get_or_compute(key, summarizer("Ada owes 7.")).value(), "Ada owes 7.");
  EXPECT_EQ(cache.get_or_compute(key, summarizer("other")).value(), "Ada owes 7.");
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(cache.focuses("", {"h"}).front().empty());
  EXPECT_EQ(cache.lookup(key_of("h", "what Ada owes")), std::nullopt) << "another scope";
  ASSERT_TRUE(cache.clear(""));
  EXPECT_EQ(cache.lookup(key), std::nullopt);
}

TEST_F(SummaryCacheTest, AnEditedArtifactIsAMiss) {
  cache_.store(key_of("before"), "Net 30.");
  EXPECT_EQ(cache_.lookup(key_of("after")), std::nullopt);
}

TEST_F(SummaryCacheTest, AnswersManyKeysInTheirOrder) {
  cache_.store(key_of("1"), "one");
  cache_.store(key_of("3"), "three");
  auto foreign = key_of("1");
  foreign.scope = "session-2";
  const auto found = cache_.lookup({key_of("3"), key_of("2"), foreign, key_of("1")});
  EXPECT_EQ(found, (std::vector<std::optional<std::string>>{"three", std::nullopt, std::nullopt, "one"}));
}

TEST_F(SummaryCacheTest, KeepsNeitherFailuresNorBlankSummaries) {
  EXPECT_EQ(cache_.get_or_compute(key_of("h"), summarizer(fail(ErrorCode::unavailable, "down"))).error().code,
            ErrorCode::unavailable);
  EXPECT_EQ(cache_.get_or_compute(key_of("h"), summarizer(" \n")).value(), " \n");
  EXPECT_EQ(cache_.lookup(key_of("h")), std::nullopt);
  EXPECT_EQ(calls_, 2);
}

TEST_F(SummaryCacheTest, ASummariserThatThrowsIsAnErrorAndWedgesNothing) {
  const auto thrown = cache_.get_or_compute(
      key_of("h"), [](const CallOptions&) -> Result<std::string> { throw std::runtime_error("secret"); });
  EXPECT_EQ(thrown.error().code, ErrorCode::internal);
  EXPECT_EQ(thrown.error().message.find("secret"), std::string::npos);
  EXPECT_TRUE(cache_.get_or_compute(key_of("h"), summarizer("Net 30.")));
}

TEST_F(SummaryCacheTest, ASummaryInsideItsOwnMakingIsAnErrorAndNoDeadlock) {
  const auto outer = cache_.get_or_compute(key_of("h"), [&](const CallOptions& call) {
    return cache_.get_or_compute(key_of("h"), summarizer("inner"), call);
  });
  EXPECT_EQ(outer.error().code, ErrorCode::unavailable);
}

TEST_F(SummaryCacheTest, AStoreThatFailsCostsAMissAndNoError) {
  for (const auto fault :
       {FaultyStore::Fault::fails, FaultyStore::Fault::throws, FaultyStore::Fault::answers_with_fewer}) {
    store_->fault = fault;
    EXPECT_EQ(cache_.get_or_compute(key_of("h"), summarizer("Net 30.")).value(), "Net 30.");
    EXPECT_TRUE(cache_.focuses("session-1", {"h"}).at(0).empty());
    store_->fault = FaultyStore::Fault::none;
    ASSERT_TRUE(cache_.clear("session-1"));
  }
  EXPECT_EQ(calls_, 3);
}

TEST_F(SummaryCacheTest, AReplyMeantForAnotherKeyIsAMiss) {
  cache_.store(key_of("1"), "one");
  cache_.store(key_of("2"), "two");
  store_->fault = FaultyStore::Fault::answers_with_another_key;
  EXPECT_EQ(cache_.lookup(key_of("1")), std::nullopt);
  EXPECT_EQ(cache_.lookup(key_of("2")), std::nullopt);
}

TEST_F(SummaryCacheTest, ClearingAScopeLeavesTheOthers) {
  auto foreign = key_of("h");
  foreign.scope = "session-2";
  cache_.store(key_of("h"), "one");
  cache_.store(foreign, "two");
  ASSERT_TRUE(cache_.clear("session-1"));
  EXPECT_EQ(cache_.lookup(key_of("h")), std::nullopt);
  EXPECT_EQ(cache_.lookup(foreign), "two");
}

TEST_F(SummaryCacheTest, RemembersTheNewestFocusesOfAContentAsTheyWereFirstWorded) {
  for (const auto* focus : {"Prices", "Dates", "prices."}) cache_.store(key_of("h", focus), "text");
  EXPECT_EQ(cache_.focuses("session-1", {"none", "h"}), (std::vector<Focuses>{{}, {"prices.", "Dates"}}));
  for (int i = 0; i < 20; ++i) cache_.store(key_of("h", "focus " + std::to_string(i)), "text");
  EXPECT_EQ(cache_.focuses("session-1", {"h"}).at(0).size(), 8u);
  EXPECT_EQ(cache_.focuses("session-1", {"h"}).at(0).front(), "focus 19");
  EXPECT_TRUE(cache_.focuses("session-2", {"h"}).at(0).empty());
}

TEST_F(SummaryCacheTest, WhatWasWrittenWithoutTheSecretIsAMiss) {
  const SummaryCache ours({store_, 1h, {}, {}, "secret"});
  cache_.store(key_of("h"), "Pay to this account.");
  EXPECT_EQ(ours.lookup(key_of("h")), std::nullopt);
  EXPECT_TRUE(ours.focuses("session-1", {"h"}).front().empty());
  ours.store(key_of("h"), "Net 30.");
  EXPECT_EQ(ours.lookup(key_of("h")), "Net 30.");
  EXPECT_EQ(cache_.lookup(key_of("h")), std::nullopt);
}

TEST_F(SummaryCacheTest, ExpiresAfterItsTimeToLive) {
  class Clock final : public ctxmgr::Clock {
   public:
    Timestamp now() const override { return {}; }
    std::chrono::steady_clock::time_point steady_now() const override { return time; }
    void sleep_until(std::chrono::steady_clock::time_point, const CallOptions&) override {}
    std::chrono::steady_clock::time_point time{};
  };
  const auto clock = std::make_shared<Clock>();
  const SummaryCache cache({{}, 10s, clock, {}});
  cache.store(key_of("h"), "Net 30.");
  clock->time += 9s;
  EXPECT_EQ(cache.lookup(key_of("h")), "Net 30.");
  clock->time += 1s;
  EXPECT_EQ(cache.lookup(key_of("h")), std::nullopt);
}

TEST_F(SummaryCacheTest, TellsTheObserverOfEveryLookup) {
  class Listener final : public Observer {
   public:
    void on_event(const Event& event) override {
      const auto hit = std::get<std::int64_t>(event.fields.at(0).value);
      heard.push_back(std::string(event.scope) + ":" + std::to_string(hit));
      throw std::runtime_error("dropped");
    }
    std::vector<std::string> heard;
  };
  const auto observer = std::make_shared<Listener>();
  const SummaryCache cache({{}, 1h, {}, observer});
  (void)cache.lookup(key_of("h"));
  cache.store(key_of("h"), "Net 30.");
  (void)cache.lookup(key_of("h"));
  EXPECT_EQ(observer->heard, (std::vector<std::string>{"session-1:0", "session-1:1"}));
}

TEST(SummaryCacheThreadsTest, TwoHundredThreadsThatWantOneSummaryMakeOneCall) {
  const SummaryCache cache;
  std::atomic<int> calls{0};
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 200; ++i) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < 200) std::this_thread::yield();
      const auto summary = cache.get_or_compute(key_of("h"), [&](const CallOptions&) -> Result<std::string> {
        ++calls;
        return "Net 30.";
      });
      EXPECT_EQ(summary.value(), "Net 30.");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ctxmgr
