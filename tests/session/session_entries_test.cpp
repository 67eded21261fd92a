#include "session/session_entries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace ctxmgr {
namespace {

/// Notes how many keys every read finds absent.
class NotingStore final : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    ++reads;
    if (const auto found = std::find(keys.begin(), keys.end(), damaged); found != keys.end()) {
      return fail(ErrorCode::bad_data, "damaged");
    }
    auto values = store_->read(name_space, keys, call);
    absent = 0;
    for (const auto& value : values.value()) absent += value ? 0 : 1;
    return values;
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (before_write) std::exchange(before_write, nullptr)();
    ++writes;
    if (is_down) return fail(ErrorCode::unavailable, "down");
    return store_->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (ignores_after) return store_->list(name_space, prefix, "", limit, call);
    if (ignores_prefix) return store_->list(name_space, "", after_key, limit, call);
    return store_->list(name_space, prefix, after_key, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return store_->erase_namespace(name_space, call);
  }

  int absent = 0;
  int reads = 0;
  int writes = 0;
  bool is_down = false;
  bool ignores_after = false;
  bool ignores_prefix = false;
  std::string damaged;  // a key whose value cannot be read
  std::function<void()> before_write;

 private:
  std::unique_ptr<KeyValueStore> store_ = make_memory_key_value_store();
};

class SessionEntriesTest : public ::testing::Test {
 protected:
  /// Keeps contents under keys "artifact:" and their first letter.
  std::vector<Result<void>> keep(const std::vector<std::string>& contents) {
    std::vector<Artifact> artifacts;
    for (const auto& content : contents) artifacts.push_back(make_document("d", content));
    std::vector<SessionEntries::Kept> kept;
    for (const auto& artifact : artifacts) kept.push_back({"artifact:" + artifact.content.substr(0, 1), &artifact});
    return entries_.keep(kept, {});
  }
  std::string value_of(const std::string& key) {
    const auto loaded = entries_.load(key, {});
    return loaded && *loaded ? (*loaded)->entry.value : "(nothing)";
  }

  std::shared_ptr<NotingStore> store_ = std::make_shared<NotingStore>();
  SessionEntries entries_{store_, "s", 20'000'000};
};

TEST_F(SessionEntriesTest, ReadingAnEntryFindsEverythingThatItAsksFor) {
  ASSERT_TRUE(entries_.set("k", "v", {}, false, {}));
  ASSERT_TRUE(entries_.load("k", {}).value());
  EXPECT_EQ(store_->absent, 0) << "an absent key costs some stores another round trip";
}

TEST_F(SessionEntriesTest, ReadingLeavesNothingBehind) {
  EXPECT_FALSE(entries_.load("k", {}).value());
  EXPECT_TRUE(entries_.restore({}));
  EXPECT_TRUE(store_->list("ctxmgr.session.1:s", {}, {}, 10, {}).value().empty());
}

TEST_F(SessionEntriesTest, AStoreWhosePagesDoNotGoOnIsAnErrorAndNotALoopWithoutEnd) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(entries_.set(key, "v", {}, false, {}));
  EXPECT_EQ(entries_.list({}, "a", 10, {})->size(), 2U);
  store_->ignores_after = true;
  EXPECT_EQ(entries_.list({}, "a", 10, {}).error().code, ErrorCode::bad_data);
}

TEST_F(SessionEntriesTest, KeysThatWereNotAskedForAreRefused) {
  for (const char* key : {"a", "b"}) ASSERT_TRUE(entries_.set(key, "v", {}, false, {}));
  store_->ignores_prefix = true;
  EXPECT_EQ(entries_.list("b", {}, 10, {}).error().code, ErrorCode::bad_data);
}

TEST_F(SessionEntriesTest, TwoFirstWritesAtOnceBothSucceed) {
  store_->before_write = [&] { ASSERT_TRUE(SessionEntries(store_, "s", 1'000).set("other", "v", {}, false, {})); };
  EXPECT_TRUE(entries_.set("k", "v", {{}, {}, {}, 0}, false, {}));
  EXPECT_TRUE(entries_.load("other", {}).value());
}

TEST_F(SessionEntriesTest, AWriteThatOverlapsADestructionLeavesNothing) {
  ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
  for (const bool is_agent : {false, true}) {
    ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
    store_->before_write = [&] { ASSERT_TRUE(SessionEntries(store_, "s", 1'000).erase_all({})); };
    EXPECT_EQ(entries_.set("k", "v", {}, is_agent, {}).error().code, ErrorCode::conflict);
    EXPECT_TRUE(entries_.list({}, {}, 10, {})->empty());
  }
  EXPECT_TRUE(entries_.set("k", "a new session", {}, false, {}));
}

TEST_F(SessionEntriesTest, AnArtifactThatIsKeptBesideADestructionIsNotInTheNextSession) {
  ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
  store_->before_write = [&] { ASSERT_TRUE(SessionEntries(store_, "s", 1'000).erase_all({})); };
  for (const auto& result : keep({"a", "b"})) EXPECT_EQ(result.error().code, ErrorCode::conflict);
  EXPECT_TRUE(entries_.list({}, {}, 10, {})->empty());
  EXPECT_EQ(value_of("artifact:a"), "(nothing)");
}

TEST_F(SessionEntriesTest, WhatOverlapsADestructionDoesNotGetIntoTheSessionAfterIt) {
  for (const bool is_agent : {false, true}) {
    ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
    store_->before_write = [&] {
      SessionEntries other(store_, "s", 1'000);
      ASSERT_TRUE(other.erase_all({}));
      ASSERT_TRUE(other.set("of the next", "v", {}, false, {}));
    };
    EXPECT_EQ(entries_.set("k", "v", {}, is_agent, {}).error().code, ErrorCode::conflict);
    EXPECT_EQ(entries_.list({}, {}, 10, {})->size(), 1U);
  }
}

TEST_F(SessionEntriesTest, NothingIsWrittenIntoASessionThatIsArchivedMeanwhile) {
  ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
  const auto archives = [&] { ASSERT_TRUE(SessionEntries(store_, "s", 1'000).archive({})); };
  for (const bool is_agent : {false, true}) {
    store_->before_write = archives;
    EXPECT_EQ(entries_.set("k", "v", {}, is_agent, {}).error().code, ErrorCode::denied);
    ASSERT_TRUE(entries_.restore({}));
    EXPECT_EQ(value_of("k"), "(nothing)");
    ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
    store_->before_write = archives;
    EXPECT_EQ(entries_.erase("old", is_agent, {}).error().code, ErrorCode::denied);
    ASSERT_TRUE(entries_.restore({}));
    EXPECT_EQ(value_of("old"), "v");
    ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
    store_->before_write = archives;
    EXPECT_EQ(keep({"a"})[0].error().code, ErrorCode::denied);
    ASSERT_TRUE(entries_.restore({}));
    EXPECT_EQ(value_of("artifact:a"), "(nothing)");
    ASSERT_TRUE(entries_.set("old", "v", {}, false, {}));
  }
}

TEST_F(SessionEntriesTest, AFirstWriteDoesNotUndoAnArchiving) {
  store_->before_write = [&] { ASSERT_TRUE(entries_.archive({})); };
  EXPECT_EQ(entries_.set("k", "v", {}, false, {}).error().code, ErrorCode::denied);
  ASSERT_TRUE(entries_.restore({}));
  EXPECT_FALSE(entries_.load("k", {}).value());
}

TEST_F(SessionEntriesTest, AnotherArtifactUnderAKeyIsAConflictAndDoesNotReplaceTheFirst) {
  ASSERT_TRUE(keep({"1 first"})[0]);
  EXPECT_EQ(keep({"1 second"})[0].error().code, ErrorCode::conflict);
  EXPECT_TRUE(keep({"1 first"})[0]);
}

TEST_F(SessionEntriesTest, SeveralArtifactsTakeOneReadOneWriteAndALookBack) {
  for (const auto& result : keep({"a", "b", "c"})) EXPECT_TRUE(result);
  EXPECT_EQ(value_of("artifact:a") + value_of("artifact:b") + value_of("artifact:c"), "abc");
  store_->reads = store_->writes = 0;
  for (const auto& result : keep({"a", "d", "b"})) EXPECT_TRUE(result);
  EXPECT_EQ(value_of("artifact:d"), "d");
  EXPECT_EQ(store_->reads, 3) << "and the one above";
  EXPECT_EQ(store_->writes, 1);
  for (const auto& result : keep({"a", "d", "b"})) EXPECT_TRUE(result);
  EXPECT_EQ(store_->writes, 1) << "what is there is not written again";
}

TEST_F(SessionEntriesTest, TheSameArtifactTwiceAndAnotherOfItsKeyEachHaveTheirResult) {
  const auto results = keep({"a", "b", "a", "a other", "c"});
  EXPECT_TRUE(results[0] && results[1] && results[2] && results[4]);
  EXPECT_EQ(results[3].error().code, ErrorCode::conflict);
  EXPECT_EQ(value_of("artifact:a") + value_of("artifact:c"), "ac");
}

TEST_F(SessionEntriesTest, LargeContentsAreKeptInSeveralWrites) {
  const std::string large(std::size_t{3} << 20, 'x');
  for (const auto& result : keep({"a" + large, "b" + large, "c"})) EXPECT_TRUE(result);
  EXPECT_EQ(store_->writes, 2);
}

TEST_F(SessionEntriesTest, WhatDoesNotFitFailsAloneAndTheFirstComeFirst) {
  const std::string half(12'000'000, 'x');
  const auto results = keep({"a" + half, "b" + half, "c", std::string(max_value_bytes, 'd')});
  EXPECT_TRUE(results[0] && results[2]);
  EXPECT_EQ(results[1].error().code, ErrorCode::limit_exceeded) << "the session is full";
  EXPECT_EQ(results[3].error().code, ErrorCode::limit_exceeded) << "no store takes it";
  EXPECT_EQ(value_of("artifact:c"), "c");
}

TEST_F(SessionEntriesTest, OneThatCannotBeReadDoesNotStopTheOthers) {
  store_->damaged = "kartifact:b";
  const auto results = keep({"a", "b", "c"});
  EXPECT_TRUE(results[0] && results[2]);
  EXPECT_EQ(results[1].error().code, ErrorCode::bad_data);
}

TEST_F(SessionEntriesTest, AStoreThatIsDownIsAskedOnce) {
  store_->is_down = true;
  const std::string large(std::size_t{3} << 20, 'x');
  for (const auto& result : keep({"a" + large, "b" + large, "c" + large})) {
    EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  }
  EXPECT_EQ(store_->writes, 1);
}

TEST_F(SessionEntriesTest, SeveralArtifactsAreKeptBesideWhoeverKeepsTheSame) {
  store_->before_write = [&] { EXPECT_TRUE(keep({"b"})[0]); };
  for (const auto& result : keep({"a", "b", "c"})) EXPECT_TRUE(result);
  EXPECT_EQ(value_of("artifact:a") + value_of("artifact:b") + value_of("artifact:c"), "abc");
}

TEST_F(SessionEntriesTest, NothingIsKeptInAnArchivedSession) {
  ASSERT_TRUE(entries_.archive({}));
  for (const auto& result : keep({"a", "b"})) EXPECT_EQ(result.error().code, ErrorCode::denied);
}

TEST_F(SessionEntriesTest, TheHostOverwritesADamagedEntry) {
  ASSERT_TRUE(store_->write("ctxmgr.session.1:s", {{"kk", "x", {}, {}}}, {}));
  EXPECT_EQ(entries_.load("k", {}).error().code, ErrorCode::bad_data);
  EXPECT_EQ(entries_.set("k", "v", {}, true, {}).error().code, ErrorCode::bad_data);
  EXPECT_FALSE(entries_.load_some({"k"}, {}).value()[0]);
  ASSERT_TRUE(entries_.set("k", "v", {}, false, {}));
  EXPECT_EQ(entries_.load("k", {}).value()->entry.value, "v");
}

}  // namespace
}  // namespace ctxmgr
