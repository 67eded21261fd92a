#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr::testing {

/// Adds 1 to a counter `rounds` times, by compare-and-set; false if the counter ever went back or a read failed.
inline bool count_up(KeyValueStore& store, int rounds) {
  long long last_seen = 0;
  for (int done = 0; done < rounds;) {
    const auto values = store.read("races", {"counter", "twin"}, {});
    if (!values && values.error().code == ErrorCode::unavailable) continue;
    if (!values || !(*values)[0] || !(*values)[1]) return false;
    const auto& counter = *(*values)[0];
    const auto number = std::stoll(counter.value);
    if (number < last_seen || counter.value != (*values)[1]->value) return false;
    const auto next = std::to_string(number + 1);
    const auto written = store.write("races", {{"counter", next, {}, counter.version}, {"twin", next, {}, {}}}, {});
    last_seen = number;
    if (written) {
      last_seen = number + 1;
      ++done;
    } else if (written.error().code != ErrorCode::conflict && written.error().code != ErrorCode::unavailable) {
      return false;
    }
  }
  return true;
}

inline bool count_up_in_threads(KeyValueStore& store, int threads, int rounds) {
  std::vector<std::thread> running;
  std::vector<char> fine(static_cast<std::size_t>(threads));
  for (auto& result : fine) running.emplace_back([&] { result = count_up(store, rounds); });
  for (auto& thread : running) thread.join();
  return std::find(fine.begin(), fine.end(), 0) == fine.end();
}

inline long long counter_of(KeyValueStore& store) {
  return std::stoll(store.read("races", {"counter"}, {}).value().at(0).value().value);
}

using MakeStore = std::function<std::unique_ptr<KeyValueStore>()>;

/// 64 threads on one store: no update is lost, no read sees an older or a half-written state.
inline void expect_no_lost_update_among_threads(const MakeStore& make, int rounds) {
  const auto store = make();
  ASSERT_TRUE(store->write("races", {{"counter", "0", {}, {}}, {"twin", "0", {}, {}}}, {}));
  EXPECT_TRUE(count_up_in_threads(*store, 64, rounds));
  EXPECT_EQ(counter_of(*store), 64 * rounds);
}

/// The same for 4 processes of 16 threads, each with a store of its own.
inline void expect_no_lost_update_among_processes(const MakeStore& make, int rounds) {
  ASSERT_TRUE(make()->write("races", {{"counter", "0", {}, {}}, {"twin", "0", {}, {}}}, {}));
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = make();
      ::_exit(store && count_up_in_threads(*store, 16, rounds) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const auto child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(counter_of(*make()), 4 * 16 * rounds);
}

}  // namespace ctxmgr::testing
