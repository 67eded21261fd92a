#include "adapters/curl/transfer.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ctxmgr::http {
namespace {

const TimePoint at_once{};

TEST(TransferTest, PiecesOfOneStreamAreJoinedAndKeptApartFromOthers) {
  Mailbox mailbox;
  mailbox.put({1, false, "a", {}});
  mailbox.put({1, false, "b", {}});
  mailbox.put({2, false, "c", {}});
  mailbox.put({1, true, {}, {}});
  const auto letters = mailbox.take(at_once);
  ASSERT_EQ(letters.size(), 3U);
  EXPECT_EQ(letters[0].bytes, "ab");
  EXPECT_EQ(letters[1].ticket, 2U);
  EXPECT_TRUE(letters[2].done);
  EXPECT_TRUE(mailbox.take(at_once).empty());
}

TEST(TransferThreadsTest, ALetterWakesWhoeverWaits) {
  Mailbox mailbox;
  std::thread sender([&] { mailbox.put({7, true, {}, {}}); });
  const auto letters = mailbox.take(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  sender.join();
  EXPECT_EQ(letters.size(), 1U);
}

}  // namespace
}  // namespace ctxmgr::http
