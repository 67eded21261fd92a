#include "session/memory_files.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/testing/manual_clock.hpp"

namespace ctxmgr::session {
namespace {

class MemoryFilesTest : public ::testing::Test {
 protected:
  MemoryFilesTest() {
    options_.user = "ada";
    options_.store = make_memory_key_value_store();
    options_.clock = std::make_shared<testing::ManualClock>();
  }
  MemoryFiles open() const { return MemoryFiles::open(options_, call_).value(); }
  Result<void> write(const std::string& path, const std::string& text) const {
    return open().commit("create", {{path, text}});
  }
  std::vector<MemoryChange> changes() const { return read_changes(options_, 100, call_).value(); }

  MemoryOptions options_;
  CallOptions call_;
};

TEST_F(MemoryFilesTest, FilesAreListedInOrderAndReadBack) {
  ASSERT_TRUE(write("/memories/b", "two") && write("/memories/a/x", "one"));
  const auto files = open();
  ASSERT_EQ(files.files().size(), 2U);
  EXPECT_EQ(files.files()[0].path, "/memories/a/x");
  EXPECT_EQ(files.files()[1].bytes, 3U);
  EXPECT_EQ(files.read("/memories/b"), "two");
  EXPECT_TRUE(files.is_directory("/memories/a"));
  EXPECT_FALSE(files.is_directory("/memories/b"));
}

TEST_F(MemoryFilesTest, WhatChangedMeanwhileIsAConflictAndChangesNothing) {
  ASSERT_TRUE(write("/memories/a", "one"));
  const auto early = open();
  ASSERT_TRUE(write("/memories/b", "by another session"));
  EXPECT_EQ(early.commit("str_replace", {{"/memories/a", "two"}}).error().code, ErrorCode::conflict);
  EXPECT_EQ(open().read("/memories/a"), "one");
  EXPECT_EQ(changes().size(), 2U);
}

TEST_F(MemoryFilesTest, LimitsHoldForFilesBytesAndAllOfThem) {
  options_.max_files = 2;
  options_.max_file_bytes = 10;
  options_.max_bytes = 15;
  EXPECT_EQ(write("/memories/a", "12345678901").error().code, ErrorCode::limit_exceeded);
  ASSERT_TRUE(write("/memories/a", "1234567890"));
  EXPECT_EQ(write("/memories/b", "123456").error().code, ErrorCode::limit_exceeded);
  ASSERT_TRUE(write("/memories/b", "12345"));
  EXPECT_EQ(write("/memories/c", "1").error().code, ErrorCode::limit_exceeded);
  options_.max_bytes = 3;  // lowered later: what makes it smaller is still done
  EXPECT_TRUE(open().commit("str_replace", {{"/memories/a", "12"}}));
  EXPECT_TRUE(open().commit("delete", {{"/memories/b"}}));
}

TEST_F(MemoryFilesTest, AChangeRemembersWhatWasThereBefore) {
  ASSERT_TRUE(write("/memories/a", "one"));
  ASSERT_TRUE(open().commit("str_replace", {{"/memories/a", "two"}}));
  ASSERT_TRUE(open().commit("rename", {{"/memories/a", "two", "/memories/b"}}));
  ASSERT_TRUE(open().commit("delete", {{"/memories/b"}}));
  const auto found = changes();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].command, "delete");
  EXPECT_EQ(found[0].before, "two");
  EXPECT_EQ(found[1].new_path, "/memories/b");
  EXPECT_EQ(found[2].before, "one");
  EXPECT_EQ(found[2].at, options_.clock->now());
  EXPECT_FALSE(found[3].before);
  EXPECT_EQ(found[3].number, 1);
}

TEST_F(MemoryFilesTest, TheOldestChangesAreForgottenBeyondTheLimit) {
  options_.max_changes = 3;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(write("/memories/" + std::to_string(i), "x"));
  ASSERT_EQ(changes().size(), 3U);
  EXPECT_EQ(changes().back().number, 3);
  std::vector<MemoryEdit> all;
  for (int i = 0; i < 5; ++i) all.push_back({"/memories/" + std::to_string(i)});
  ASSERT_TRUE(open().commit("delete", all));
  EXPECT_EQ(changes().size(), 3U);
  EXPECT_EQ(options_.store->list(memory_namespace(options_), "change:", {}, 100, call_)->size(), 3U);
  options_.max_changes = 0;
  ASSERT_TRUE(write("/memories/a", "x"));
  EXPECT_TRUE(changes().empty());
  EXPECT_TRUE(options_.store->list(memory_namespace(options_), "change:", {}, 100, call_)->empty());
}

TEST_F(MemoryFilesTest, OptionsThatKeepNothingAreRefused) {
  EXPECT_TRUE(check_memory(options_));
  auto options = options_;
  options.user.clear();
  EXPECT_EQ(check_memory(options).error().code, ErrorCode::invalid_argument);
  options.user.assign(129, 'x');
  EXPECT_FALSE(check_memory(options));
  options = options_;
  options.store.reset();
  EXPECT_FALSE(check_memory(options));
  options = options_;
  options.max_file_bytes = (std::size_t{1} << 20) + 1;
  EXPECT_FALSE(check_memory(options));
}

TEST_F(MemoryFilesTest, ADamagedHeadIsBadDataAndNotANewMemory) {
  ASSERT_TRUE(write("/memories/a", "one"));
  ASSERT_TRUE(options_.store->write(memory_namespace(options_), {{"head", "{}"}}, call_));
  EXPECT_EQ(MemoryFiles::open(options_, call_).error().code, ErrorCode::bad_data);
}

/// Lists every key of a namespace, whatever the caller asks for.
class ListingAll final : public KeyValueStore {
 public:
  explicit ListingAll(std::shared_ptr<KeyValueStore> store) : store_(std::move(store)) {}
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    return store_->read(name_space, keys, call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    return store_->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view, std::string_view, std::size_t limit,
                                    const CallOptions& call) override {
    return store_->list(name_space, {}, {}, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return store_->erase_namespace(name_space, call);
  }

 private:
  std::shared_ptr<KeyValueStore> store_;
};

TEST_F(MemoryFilesTest, KeysThatWereNotAskedForAreRefused) {
  ASSERT_TRUE(write("/memories/a", "one"));
  options_.store = std::make_shared<ListingAll>(options_.store);
  EXPECT_EQ(MemoryFiles::open(options_, call_).error().code, ErrorCode::bad_data);
}

}  // namespace
}  // namespace ctxmgr::session
