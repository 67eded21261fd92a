#include "adapters/sql/watchdog.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bitset>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ctxmgr::sql {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

struct Pair {
  Pair() { ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }
  ~Pair() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  int ends[2]{};
};

Watchdog::Time in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(SqlWatchdogThreadsTest, EndsTheWaitForASilentServer) {
  Watchdog dog;
  Pair sockets;
  Watchdog::Watch watch(dog, sockets.ends[0]);
  watch.begin(in(milliseconds(20)));
  char byte = 0;
  EXPECT_EQ(::recv(sockets.ends[0], &byte, 1, 0), 0);
  EXPECT_TRUE(watch.has_bitten());
}

TEST(SqlWatchdogThreadsTest, AnEarlierTimeIsNotKeptWaitingByALaterOne) {
  Watchdog dog;
  Pair slow;
  Pair quick;
  Watchdog::Watch later(dog, slow.ends[0]);
  Watchdog::Watch earlier(dog, quick.ends[0]);
  later.begin(in(hours(1)));
  earlier.begin(in(milliseconds(20)));
  char byte = 0;
  EXPECT_EQ(::recv(quick.ends[0], &byte, 1, 0), 0);
  EXPECT_FALSE(later.has_bitten());
}

TEST(SqlWatchdogThreadsTest, LeavesASocketAloneThatIsNoLongerWatched) {
  Watchdog dog;
  Pair calm;
  Pair other;
  Watchdog::Watch watch(dog, calm.ends[0]);
  watch.begin(in(milliseconds(30)));
  watch.begin(in(hours(1)));
  watch.rest();
  Watchdog::Watch clock(dog, other.ends[0]);
  clock.begin(in(milliseconds(60)));
  char byte = 0;
  EXPECT_EQ(::recv(other.ends[0], &byte, 1, 0), 0) << "by now the first time is over";
  EXPECT_FALSE(watch.has_bitten());
  EXPECT_EQ(::send(calm.ends[1], "x", 1, 0), 1);
  EXPECT_EQ(::recv(calm.ends[0], &byte, 1, 0), 1);
}

/// The signals that each thread of the process keeps out, as the kernel writes them.
std::map<std::string, std::string> blocked_signals() {
  std::map<std::string, std::string> blocked;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigBlk:", 0) == 0) blocked[task.path().filename()] = line.substr(8);
    }
  }
  return blocked;
}

TEST(SqlWatchdogTest, SignalsAreLeftToTheHostsThreads) {
  const auto before = blocked_signals();
  Watchdog dog;
  Pair sockets;
  Watchdog::Watch watch(dog, sockets.ends[0]);
  watch.begin(in(milliseconds(1)));
  char byte = 0;
  ASSERT_EQ(::recv(sockets.ends[0], &byte, 1, 0), 0) << "a thread that only begins keeps everything out";
  int started = 0;
  for (const auto& [thread, blocked] : blocked_signals()) {
    if (before.count(thread) != 0) {
      EXPECT_EQ(blocked, before.at(thread)) << "who starts it keeps its own";
      continue;
    }
    ++started;
    const std::bitset<64> signals(std::stoull(blocked, nullptr, 16));
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGUSR1}) {
      EXPECT_TRUE(signals.test(static_cast<std::size_t>(signal - 1))) << signal;
    }
  }
  EXPECT_EQ(started, 1);
}

TEST(SqlWatchdogThreadsTest, ManyThreadsWatchAtOnce) {
  Watchdog dog;
  std::vector<std::thread> threads;
  std::atomic<int> bitten = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Pair sockets;
      Watchdog::Watch watch(dog, sockets.ends[0]);
      for (int round = 0; round < 200; ++round) {
        watch.begin(in(hours(1)));
        watch.rest();
      }
      watch.begin(in(milliseconds(10 + i)));
      char byte = 0;
      bitten += ::recv(sockets.ends[0], &byte, 1, 0) == 0 && watch.has_bitten() ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(bitten, 8);
}

}  // namespace
}  // namespace ctxmgr::sql
