#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "support/environment.hpp"

/// \file
/// Durable conversation stores under several processes, and under processes that are killed.
namespace ctxmgr::testing {

using OpenStore = std::function<std::unique_ptr<ConversationStore>()>;

/// Runs `work` in a process of its own, which ends with its result.
inline pid_t in_process(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  return child;
}

inline std::vector<ConversationMessage> batch_of(const std::string& agent, int number, std::size_t size) {
  ConversationMessage row{Role::assistant, std::to_string(number)};
  row.agent = agent;
  return std::vector<ConversationMessage>(size, row);
}

/// One process: `threads` threads, each with `batches` appends of two rows.
inline bool append_from_threads(const OpenStore& open, const std::string& name, int threads, int batches) {
  const auto store = open();
  if (!store) return false;
  std::vector<int> done(static_cast<std::size_t>(threads), 0);
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < batches; ++i) {
        const auto range = store->append("w", batch_of(name + "/" + std::to_string(t), i, 2), {}, {});
        if (range) ++done[static_cast<std::size_t>(t)];
      }
    });
  }
  for (auto& writer : writers) writer.join();
  for (const int count : done) {
    if (count != batches) return false;
  }
  return true;
}

/// Numbers without a hole, batches whole, and each writer's in its order.
inline void expect_whole_batches(ConversationStore& store, std::size_t batch_size) {
  const auto info = store.info("w", {});
  ASSERT_TRUE(info) << info.error().message;
  MessageQuery everything;
  everything.limit = 1'000'000;
  const auto rows = store.load("w", everything, {});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size() % batch_size, 0U);
  std::map<std::string, int> next;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto& row = rows->at(i);
    ASSERT_EQ(row.sequence_number, static_cast<std::int64_t>(i) + 1);
    const auto& first = rows->at(i - i % batch_size);
    ASSERT_EQ(row.agent, first.agent);
    ASSERT_EQ(text_of(row), text_of(first));
    if (i % batch_size != 0) continue;
    ASSERT_EQ(text_of(row), std::to_string(next[row.agent]++));
  }
  // A server may still commit what a killed process had sent.
  ASSERT_LE(info->value_or(ConversationInfo{}).last_sequence, static_cast<std::int64_t>(rows->size()));
}

inline void expect_gapless_from_processes(const OpenStore& open, int processes, int threads, int batches) {
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(in_process([&] { return append_from_threads(open, std::to_string(p), threads, batches); }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "an append failed";
  }
  const auto store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->info("w", {})->value().last_sequence, 2 * processes * threads * batches);
  expect_whole_batches(*store, 2);
}

/// How often a process is killed: so often, or as `CTXMGR_TEST_KILLS` says.
inline int kills_of(int otherwise) {
  const auto wanted = environment("CTXMGR_TEST_KILLS");
  return wanted ? std::stoi(*wanted) : otherwise;
}

/// A process that appends batches of five and tells the last number of each that was acknowledged.
inline pid_t append_and_tell(const OpenStore& open, const std::string& agent, int tell) {
  return in_process([&] {
    const auto store = open();
    for (int i = 0; store; ++i) {
      const auto range = store->append("w", batch_of(agent, i, 5), {}, {});
      if (!range || ::write(tell, &range->last, sizeof range->last) != sizeof range->last) return false;
    }
    return false;
  });
}

/// Nothing that was acknowledged is lost, nothing is torn, and the numbers have no hole.
inline void expect_killed_process_leaves_no_hole(const OpenStore& open, int otherwise) {
  const int kills = kills_of(otherwise);
  std::int64_t acknowledged = 0;
  for (int kill = 0; kill < kills; ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = append_and_tell(open, std::to_string(kill), ends[1]);
    ::close(ends[1]);
    std::int64_t last = 0;
    const auto hear = [&] { return ::read(ends[0], &last, sizeof last) == sizeof last; };
    for (int heard = 0; heard <= kill % 7; ++heard) ASSERT_TRUE(hear()) << "the appending process ended";
    ::kill(child, SIGKILL);
    while (hear()) acknowledged = std::max(acknowledged, last);
    acknowledged = std::max(acknowledged, last);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    const auto store = open();
    ASSERT_NE(store, nullptr);
    ASSERT_GE(store->info("w", {})->value().last_sequence, acknowledged);
    if (kill % 50 == 49 || kill + 1 == kills) expect_whole_batches(*store, 5);
  }
  std::printf("%d kills, %lld acknowledged rows, none lost\n", kills, static_cast<long long>(acknowledged));
}

/// Another connection erases a conversation and records its step anew, again and again: whoever loads the step sees one of
/// them or none, never one whose texts are gone.
inline void expect_steps_whole_or_absent(const OpenStore& open, int wanted) {
  const auto reading = open();
  ASSERT_NE(reading, nullptr);
  std::atomic<bool> ends = false;
  std::atomic<int> recorded = 0;
  std::thread other([&] {
    const auto writing = open();
    for (; writing && !ends; ++recorded) {
      SentContext sent;
      for (int i = 0; i < 20; ++i) {
        sent.messages.push_back({0, "[" + std::to_string(i) + "," + std::to_string(recorded) + "]"});
      }
      if (!writing->record_step("w", sent, {}) || !writing->erase("w", {})) break;
    }
    ends = true;
  });
  int whole = 0;
  int torn = 0;
  while (!ends && whole + torn < wanted) {
    const auto step = reading->load_step("w", 1, {});
    whole += step ? 1 : 0;
    torn += step || step.error().code == ErrorCode::not_found ? 0 : 1;
  }
  EXPECT_FALSE(ends) << "recording or erasing failed";
  EXPECT_EQ(torn, 0);
  ends = true;
  other.join();
}

/// In ids, names, keys and texts, whatever SQL may mean elsewhere is text, and a neighbour stays as it is.
inline void expect_sql_is_text(const OpenStore& open) {
  const auto store = open();
  std::size_t victims = 0;
  for (const char* const sql_text :
       {"x') OR '1'='1' --", "\\' OR 1=1; DROP TABLE workflows; #", "$$;\"`:name {} %s", "NULL"}) {
    const std::string sql = sql_text;
    ASSERT_TRUE(store->append("victim", {{Role::user, "mine"}}, {}, {}));
    ConversationMessage row{Role::user, sql};
    row.agent = row.name = row.tool_call_id = sql;
    row.extra_json = dump_json(Json{{sql, 1}});
    AppendOptions once;
    once.idempotency_key = sql;
    ASSERT_TRUE(store->append(sql, {row}, once, {}));
    ASSERT_EQ(store->append(sql, {row}, once, {})->last, 1);
    SentContext sent;
    sent.agent = sent.thread_state = sql;
    sent.messages = {{0, row.extra_json}};
    ASSERT_TRUE(store->record_step(sql, sent, {}));
    EXPECT_EQ(store->load_step(sql, 1, {})->agent, sql);
    const auto rows = store->load(sql, {}, {});
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 1U);
    EXPECT_EQ(text_of(rows->front()), sql);
    EXPECT_EQ(rows->front().agent, sql);
    EXPECT_EQ(store->list(sql, {}, 10, {})->size(), 1U);
    ASSERT_TRUE(store->erase(sql, {}));
    EXPECT_EQ(store->load("victim", {}, {})->size(), ++victims);
  }
}

}  // namespace ctxmgr::testing
