#include "session/session_entries.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace ctxmgr {
namespace {

/// Notes how many keys every read finds absent.
class CountingStore final : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    auto values = store_->read(name_space, keys, call);
    absent = 0;
    for (const auto& value : values.value()) absent += value ? 0 : 1;
    return values;
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (before_write) std::exchange(before_write, nullptr)();
    return store_->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    return store_->list(name_space, prefix, after_key, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return store_->erase_namespace(name_space, call);
  }

  int absent = 0;
  std::function<void()> before_write;

 private:
  std::unique_ptr<KeyValueStore> store_ = make_memory_key_value_store();
};

class SessionEntriesTest : public ::testing::Test {
 protected:
  std::shared_ptr<CountingStore> store_ = std::make_shared<CountingStore>();
  SessionEntries entries_{store_, "s", 1'000'000};
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

TEST_F(SessionEntriesTest, TwoFirstWritesAtOnceBothSucceed) {
  store_->before_write = [&] { ASSERT_TRUE(SessionEntries(store_, "s", 1'000).set("other", "v", {}, false, {})); };
  EXPECT_TRUE(entries_.set("k", "v", {{}, {}, {}, 0}, false, {}));
  EXPECT_TRUE(entries_.load("other", {}).value());
}

TEST_F(SessionEntriesTest, AFirstWriteDoesNotUndoAnArchiving) {
  store_->before_write = [&] { ASSERT_TRUE(entries_.archive({})); };
  EXPECT_EQ(entries_.set("k", "v", {}, false, {}).error().code, ErrorCode::denied);
  ASSERT_TRUE(entries_.restore({}));
  EXPECT_FALSE(entries_.load("k", {}).value());
}

TEST_F(SessionEntriesTest, AnotherArtifactUnderAKeyIsAConflictAndDoesNotReplaceTheFirst) {
  ASSERT_TRUE(entries_.keep("artifact:1", make_document("a", "first"), {}));
  EXPECT_EQ(entries_.keep("artifact:1", make_document("b", "second"), {}).error().code, ErrorCode::conflict);
  EXPECT_TRUE(entries_.keep("artifact:1", make_document("a", "first"), {}));
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
