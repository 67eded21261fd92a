#include "adapters/bpe/table_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ctxmgr::bpe {
namespace {

TEST(TableMemoryTest, GivesWholeLargePagesAtLinesOfTheCache) {
  TableMemory memory(TableMemory::page + TableMemory::page / 2);
  void* const first = memory.take(1);
  void* const second = memory.take(TableMemory::page - TableMemory::line);
  EXPECT_TRUE(memory.has(first));
  EXPECT_TRUE(memory.has(second));
  EXPECT_EQ(static_cast<std::byte*>(second) - static_cast<std::byte*>(first), std::ptrdiff_t{TableMemory::line});
  EXPECT_EQ(memory.take(1), nullptr);
  EXPECT_FALSE(memory.has(&memory));
}

TEST(TableMemoryTest, HasNoRoomWhereNoLargePageIsFilled) { EXPECT_EQ(TableMemory(1'000'000).take(1), nullptr); }

TEST(TableMemoryTest, TablesThatFindNoRoomAreOnTheHeap) {
  const auto memory = std::make_shared<TableMemory>(TableMemory::page);
  const Table<std::uint64_t> within(1'000, 1, memory);
  const Table<std::uint64_t> beyond(TableMemory::page, 2, memory);
  const Table<std::uint64_t> without(1'000, 3);
  EXPECT_TRUE(memory->has(within.data()));
  EXPECT_FALSE(memory->has(beyond.data()));
  EXPECT_EQ(within.back() + beyond.back() + without.back(), 6U);
}

TEST(TableMemoryTest, StaysAsLongAsATableThatIsMoved) {
  Table<std::uint64_t> table;
  {
    const auto memory = std::make_shared<TableMemory>(TableMemory::page);
    table = Table<std::uint64_t>(1'000, 7, memory);
    EXPECT_TRUE(memory->has(table.data()));
  }
  EXPECT_EQ(table.back(), 7U);
}

}  // namespace
}  // namespace ctxmgr::bpe
