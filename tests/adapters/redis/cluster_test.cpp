#include "adapters/redis/cluster.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::redis {
namespace {

TEST(RedisClusterTest, SlotsAreThoseOfTheSpecification) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
  EXPECT_EQ(slot_of("foo"), 12'182);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(RedisClusterTest, WhatStandsInTheFirstBracesDecides) {
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("ctxmgr:{n}i"), slot_of("n"));
  EXPECT_EQ(slot_of("a{b}c{d}"), slot_of("b"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_EQ(slot_of("foo{}{bar}"), 8'363) << "nothing in the first braces: the whole key does";
  EXPECT_NE(slot_of("foo{bar"), slot_of("bar"));
}

TEST(RedisClusterTest, ReadsWhereASlotHasMovedTo) {
  const auto moved = parse_moved("MOVED 3999 127.0.0.1:6381").value();
  EXPECT_EQ(moved.slot, 3'999);
  EXPECT_EQ(moved.to, (Address{"127.0.0.1", 6'381}));
  EXPECT_EQ(parse_moved("MOVED 1 2001:db8::1:6381").value().to, (Address{"2001:db8::1", 6'381}));
  EXPECT_EQ(parse_moved("MOVED 1 :6381").value().to, (Address{"", 6'381}));
}

TEST(RedisClusterTest, AnythingElseIsNoRedirection) {
  for (const auto* reply : {"ASK 3999 127.0.0.1:6381", "MOVED", "MOVED ", "MOVED 1", "MOVED 1 host", "MOVED x host:1",
                            "MOVED 16384 host:1", "MOVED -1 host:1", "MOVED 1 host:0", "MOVED 1 host:65536",
                            "MOVED 1 host:6381 more", "MOVED 1:2 host", "MOVED 1 ?:6381"}) {
    EXPECT_FALSE(parse_moved(reply)) << reply;
  }
}

}  // namespace
}  // namespace ctxmgr::redis
