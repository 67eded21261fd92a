#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/ports/key_value_store.hpp"
#include "support/linearizability.hpp"

namespace ctxmgr::testing {

/// How many work at once, and on what. A key has a namespace of its own, so that erasing that is erasing the key.
struct Workload {
  int processes = 0;  ///< 0: threads of this one, on one store; else each opens a store of its own.
  int threads = 4;    ///< Of each process.
  int keys = 2;
  int calls = 16;  ///< Of each thread.
};

/// Does calls at random and writes down when they were made, when they returned and what they said.
class Worker {
 public:
  Worker(KeyValueStore& store, std::string round, std::uint32_t number, int keys)
      : store_(store),
        round_(std::move(round)),
        random_(number),
        number_(number),
        seen_(static_cast<std::size_t>(keys)) {}

  /// Returns the key's number.
  int call(Operation& operation) {
    const auto key = random_() % seen_.size();
    name_space_ = round_ + ":" + std::to_string(key);
    operation.kind = static_cast<Operation::Kind>(random_() % 6);
    operation.value = number_ * 1'000 + ++values_;
    operation.expected = seen_[key];
    operation.invoked = now();
    make(operation);
    operation.returned = now();
    if (operation.kind != Operation::Kind::list && !operation.conflict) seen_[key] = operation.version;
    return static_cast<int>(key);
  }

 private:
  static std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

  void make(Operation& operation) {
    const auto text = std::to_string(operation.value);
    switch (operation.kind) {
      case Operation::Kind::get: return read(operation);
      case Operation::Kind::list: return list(operation);
      case Operation::Kind::set: return write(operation, {"k", text, {}, {}});
      case Operation::Kind::set_if: return write(operation, {"k", text, {}, operation.expected});
      case Operation::Kind::erase_if: return write(operation, {"k", {}, {}, operation.expected});
      case Operation::Kind::erase:
        if (values_ % 2 == 0) return write(operation, {"k", {}, {}, {}});
        operation.failed = !store_.erase_namespace(name_space_, {});
    }
  }

  void read(Operation& operation) {
    const auto values = store_.read(name_space_, {"k"}, {});
    operation.failed = !values;
    if (!values || !values->front()) return;
    operation.version = values->front()->version;
    operation.value = std::stoull(values->front()->value);
  }

  void list(Operation& operation) {
    const auto listed = store_.list(name_space_, {}, {}, 2, {});
    operation.failed = !listed;
    if (listed) operation.version = listed->size();
  }

  void write(Operation& operation, const KeyValueWrite& change) {
    const auto written = store_.write(name_space_, {change}, {});
    operation.conflict = !written && written.error().code == ErrorCode::conflict;
    operation.failed = !written && !operation.conflict;
    if (written && change.value) operation.version = *written;
  }

  KeyValueStore& store_;
  const std::string round_;
  std::string name_space_;
  std::minstd_rand random_;
  const std::uint32_t number_;
  std::uint64_t values_ = 0;
  std::vector<std::uint64_t> seen_;  // the version of each key that this worker saw last
};

/// Calls of many workers as they were recorded, in memory that processes share.
class RecordedHistory {
 public:
  using MakeStore = std::function<std::unique_ptr<KeyValueStore>()>;

  RecordedHistory(const MakeStore& make, const Workload& load, const std::string& round) : load_(load) {
    workers_ = std::max(load.processes, 1) * load.threads;
    bytes_ = sizeof(Shared) + sizeof(Recorded) * static_cast<std::size_t>(workers_ * load.calls);
    shared_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    new (shared_) Shared;
    if (load.processes == 0) {
      run_threads(*make(), round, 0);
    } else {
      run_processes(make, round);
    }
  }
  RecordedHistory(const RecordedHistory&) = delete;
  RecordedHistory& operator=(const RecordedHistory&) = delete;
  ~RecordedHistory() { ::munmap(shared_, bytes_); }

  void expect_linearizable() const {
    std::vector<std::vector<Calls>> by_key(static_cast<std::size_t>(load_.keys),
                                           std::vector<Calls>(static_cast<std::size_t>(workers_)));
    std::set<std::uint64_t> versions;
    for (int worker = 0; worker < workers_; ++worker) {
      for (int i = 0; i < load_.calls; ++i) {
        const auto& [key, call] = recorded(worker)[i];
        ASSERT_NE(call.returned, 0) << "a worker did not come to its end";
        ASSERT_FALSE(call.failed);
        const bool is_set = call.kind == Operation::Kind::set || call.kind == Operation::Kind::set_if;
        const bool is_given = is_set && !call.conflict;
        ASSERT_TRUE(!is_given || versions.insert(call.version).second) << "a version was given twice";
        by_key[static_cast<std::size_t>(key)][static_cast<std::size_t>(worker)].push_back(call);
      }
    }
    for (auto& workers : by_key) EXPECT_TRUE(LinearizabilityChecker(std::move(workers)).passes());
  }

 private:
  struct Recorded {
    int key;
    Operation call;
  };
  struct alignas(Recorded) Shared {
    std::atomic<int> ready{0};
  };

  [[nodiscard]] Recorded* recorded(int worker) const {
    return reinterpret_cast<Recorded*>(static_cast<char*>(shared_) + sizeof(Shared)) + worker * load_.calls;
  }

  void run_threads(KeyValueStore& store, const std::string& round, int first_worker) {
    std::vector<std::thread> threads;
    for (int i = 0; i < load_.threads; ++i) {
      threads.emplace_back([&, number = first_worker + i] {
        Worker worker(store, round, static_cast<std::uint32_t>(number + 1), load_.keys);
        auto& ready = static_cast<Shared*>(shared_)->ready;
        for (++ready; ready < workers_;) std::this_thread::yield();  // all at once
        for (int j = 0; j < load_.calls; ++j) {
          auto& [key, call] = recorded(number)[j];
          key = worker.call(call);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }

  void run_processes(const MakeStore& make, const std::string& round) {
    std::vector<pid_t> children;
    for (int i = 0; i < load_.processes; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        const auto store = make();
        if (store) run_threads(*store, round, i * load_.threads);
        if (!store) static_cast<Shared*>(shared_)->ready += load_.threads;  // nobody waits for those
        ::_exit(store ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const auto child : children) ::waitpid(child, nullptr, 0);
  }

  const Workload load_;
  int workers_ = 0;
  std::size_t bytes_ = 0;
  void* shared_ = nullptr;
};

/// Several such histories, each of keys of its own.
inline void expect_linearizable(const RecordedHistory::MakeStore& make, const Workload& load, int rounds) {
  static int number = 0;
  for (int round = 0; round < rounds; ++round) {
    RecordedHistory(make, load, "history" + std::to_string(++number)).expect_linearizable();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace ctxmgr::testing
