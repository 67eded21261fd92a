#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <new>

#include "adapters/sqlite/temporary_file.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "process/failing_memory.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::Failing;

/// Runs `work` in many processes, each with another allocation that fails, until the last of its allocations had its turn.
/// `work` says whether it went as it may; after each, `look` is called here.
void fail_everywhere(Failing how, const std::function<bool()>& work, const std::function<void()>& look) {
  int counted[2];
  ASSERT_EQ(::pipe(counted), 0);
  const pid_t counting = ::fork();
  if (counting == 0) {
    const auto before = testing::allocations();
    const bool good = work();
    const auto needed = testing::allocations() - before;
    ::_exit(good && ::write(counted[1], &needed, sizeof needed) == sizeof needed ? 0 : 1);
  }
  ::close(counted[1]);
  std::size_t needed = 0;
  ASSERT_EQ(::read(counted[0], &needed, sizeof needed), static_cast<ssize_t>(sizeof needed)) << "nothing fails";
  ::close(counted[0]);
  ::waitpid(counting, nullptr, 0);
  look();
  // All of the first, where things are made; of the rest as many as there is time for.
  const std::size_t step = needed / 300 + 1;
  for (std::size_t successes = 0; successes < needed; successes += successes < 100 ? 1 : step) {
    const pid_t child = ::fork();
    if (child == 0) {
      testing::let_memory_fail(successes, how);
      const bool good = work();
      testing::let_memory_be();
      ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "after " << successes << " of " << needed << " allocations: status " << status;
    look();
  }
}

/// A value, an error, or the one exception that may come out.
template <class Call>
bool keeps_its_word(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

TEST(FailingMemoryTest, ABuildGivesAValueOrATypedErrorAndGoesOnAfterwards) {
  Context context;
  context.conversation_history = {{Role::user, "Where is the heron?"}};
  context.artifacts = {make_document("birds", testing::words(300, "heron"))};
  BuildRequest request;
  request.budget.max_input_tokens = 500;
  const auto expected = to_openai_json(ContextManager().build(context, request)->messages);
  for (const auto how : {Failing::once, Failing::forever}) {
    const auto work = [&] {
      return keeps_its_word([&] {
        const ContextManager manager;
        const auto built = manager.build(context, request);
        if (!built && built.error().code != ErrorCode::internal) return false;
        testing::let_memory_be();
        const auto again = manager.build(context, request);
        return again && to_openai_json(again->messages) == expected;
      });
    };
    fail_everywhere(how, work, [] {});
  }
}

constexpr int writes = 4;

/// Writes to both stores of a file, and tells each write that was acknowledged.
bool write_both(const SqliteOptions& file, int tell) {
  return keeps_its_word([&] {
    const auto values = make_sqlite_key_value_store(file);
    const auto threads = make_sqlite_conversation_store(file);
    if (!values || !threads) return true;
    for (int i = 0; i < writes; ++i) {
      const auto key = std::to_string(i);
      const bool kept = (*values)->write("n", {{key, key, {}, {}}, {"twin" + key, key, {}, {}}}, {}).has_value();
      const bool said = (*threads)->append("w", {{Role::user, key}, {Role::assistant, key}}, {}, {}).has_value();
      if (kept && ::write(tell, "k", 1) != 1) return false;
      if (said && ::write(tell, "s", 1) != 1) return false;
    }
    testing::let_memory_be();  // with memory again the same connections work
    return (*values)->write("n", {{"z", "z", {}, {}}}, {}) && (*threads)->append("z", {{Role::user, "z"}}, {}, {});
  });
}

TEST(FailingMemoryTest, WhatAStoreAcknowledgedIsThereAndNothingIsTorn) {
  for (const auto how : {Failing::once, Failing::forever}) {
    auto directory = std::make_unique<testing::TemporaryDirectory>();
    SqliteOptions file;
    file.path = directory->file("a.db");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    const auto look = [&] {
      std::size_t kept = 0;
      std::size_t said = 0;
      for (char what = 0; ::read(ends[0], &what, 1) == 1;) ++(what == 'k' ? kept : said);
      {
        const auto values = make_sqlite_key_value_store(file);
        const auto threads = make_sqlite_conversation_store(file);
        ASSERT_TRUE(values && threads);
        (void)(*values)->write("n", {{"z", {}, {}, {}}}, {});
        const auto keys = (*values)->list("n", {}, {}, 100, {});
        const auto rows = (*threads)->load("w", {}, {});
        ASSERT_TRUE(keys && rows);
        ASSERT_GE(keys->size(), 2 * kept);
        ASSERT_GE(rows->size(), 2 * said);
        ASSERT_EQ(keys->size() % 2, 0U);
        ASSERT_EQ(rows->size() % 2, 0U);
      }
      directory = std::make_unique<testing::TemporaryDirectory>();
      file.path = directory->file("a.db");
    };
    fail_everywhere(
        how, [&] { return write_both(file, ends[1]); }, look);
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

}  // namespace
}  // namespace ctxmgr
