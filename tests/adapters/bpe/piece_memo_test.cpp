#include "adapters/bpe/piece_memo.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ctxmgr::bpe {
namespace {

// With room behind it, which `find` may read.
class Piece {
 public:
  explicit Piece(const std::string& text) : padded_(text + std::string(8, '?')), bytes_(text.size()) {}
  operator std::string_view() const { return std::string_view(padded_).substr(0, bytes_); }

 private:
  std::string padded_;
  std::size_t bytes_;
};

TEST(PieceMemoTest, RemembersPiecesOfEveryLength) {
  PieceMemo memo;
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t bytes = 1; bytes <= PieceMemo::max_bytes; ++bytes) {
    const Piece piece(text.substr(0, bytes));
    EXPECT_EQ(memo.find(piece), 0);
    memo.store(piece, static_cast<std::int64_t>(bytes));
    EXPECT_EQ(memo.find(piece), static_cast<std::int64_t>(bytes));
  }
}

TEST(PieceMemoTest, TellsPiecesApartThatDifferInOneByteOrInLength) {
  for (std::size_t bytes = 1; bytes <= PieceMemo::max_bytes; ++bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
      PieceMemo memo;
      std::string text(bytes, '\0');
      memo.store(Piece(text), 1);
      if (bytes < PieceMemo::max_bytes) {
        EXPECT_EQ(memo.find(Piece(text + '\0')), 0);
      }
      text[at] = 'x';
      EXPECT_EQ(memo.find(Piece(text)), 0);
    }
  }
}

TEST(PieceMemoTest, ForgetsRatherThanGrows) {
  PieceMemo memo;
  int known = 0;
  for (int i = 0; i < 200'000; ++i) memo.store(Piece(std::to_string(i)), 2);
  for (int i = 0; i < 200'000; ++i) known += memo.find(Piece(std::to_string(i))) == 2 ? 1 : 0;
  EXPECT_GT(known, 1'000);
  EXPECT_LT(known, 100'000);
}

// Some of these pieces share a slot, where several threads store and look for them: nobody may see a mix of two.
template <class Table>
void share_slots(const std::vector<std::string>& texts, const std::string& mix) {
  Table table(2);
  std::vector<std::thread> threads;
  for (std::size_t mine = 0; mine < texts.size(); ++mine) {
    threads.emplace_back([&, mine] {
      for (int i = 0; i < 5'000; ++i) {
        table.store(Piece(texts[mine]), static_cast<std::int64_t>(mine) + 1);
        for (std::size_t other = 0; other < texts.size(); ++other) {
          const std::int64_t found = table.find(Piece(texts[other]));
          EXPECT_TRUE(found == 0 || found == static_cast<std::int64_t>(other) + 1);
        }
        EXPECT_EQ(table.find(Piece(mix)), 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(PieceMemoThreadsTest, NobodySeesHalfAShortPiece) {
  share_slots<ShortPieceTable>({"abc", "abd", "xbc", "ab"}, "xbd");
}

TEST(PieceMemoThreadsTest, NobodySeesHalfALongPiece) {
  share_slots<LongPieceTable>(
      {"first...second..third...", "first...SECOND..third...", "FIRST...second..THIRD...", "first...SECOND..THIRD..."},
      "first...second..THIRD...");
}

}  // namespace
}  // namespace ctxmgr::bpe
