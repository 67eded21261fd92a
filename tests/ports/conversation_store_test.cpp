#include "ctxmgr/ports/conversation_store.hpp"

#include <gtest/gtest.h>

namespace ctxmgr {
namespace {

TEST(MemoryConversationStoreTest, KeepsWhatOneCallerAppends) {
  const auto store = make_memory_conversation_store();
  const auto range = store->append("w", {{Role::user, "hello"}, {Role::assistant, "hi"}}, {}, {});
  ASSERT_TRUE(range);
  EXPECT_EQ(range->last, 2);
  const auto rows = store->load("w", {}, {});
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(text_of(rows->at(1)), "hi");
  EXPECT_EQ(rows->at(1).sequence_number, 2);
}

TEST(MemoryConversationStoreTest, TwoStoresShareNothing) {
  const auto one = make_memory_conversation_store();
  const auto two = make_memory_conversation_store();
  ASSERT_TRUE(one->append("w", {{Role::user, "hello"}}, {}, {}));
  EXPECT_TRUE(two->load("w", {}, {})->empty());
}

TEST(MemoryConversationStoreTest, FindsFixedRowsOfALongThreadWithoutReadingIt) {
  const auto store = make_memory_conversation_store();
  std::vector<ConversationMessage> rows(50'000, ConversationMessage{Role::user, "x"});
  rows[123].retention = Retention::pinned;
  ASSERT_TRUE(store->append("w", rows, {}, {}));
  MessageQuery fixed;
  fixed.fixed_only = true;
  const auto page = store->load("w", fixed, {});
  ASSERT_EQ(page->size(), 1U);
  EXPECT_EQ(page->front().sequence_number, 124);
}

}  // namespace
}  // namespace ctxmgr
