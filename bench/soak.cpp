// Everything at once for a while: threads of several sessions that build contexts, keep values, render prompts, prune and
// replay threads and cancel calls, with model servers that come and go. Prints every few seconds what it holds (memory,
// descriptors, size of its file) and how long its operations take; exits with 1 where memory or descriptors still grow
// after the first third, or where an operation failed in a way that it must not.
//
//     soak [SECONDS] [THREADS]           default: 60 s, 8 threads
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/prompts/prompt_composer.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "support/fault_server.hpp"

namespace {

using namespace ctxmgr;
using Clock = std::chrono::steady_clock;

enum Operation { build_op, prune_op, replay_op, value_op, prompt_op, cancel_op, operations };
constexpr std::array<const char*, operations> names = {"context", "prune", "replay", "values", "prompt", "cancelled"};

/// How long each kind took since the last report, and what went wrong.
class Record {
 public:
  template <class Work>
  void measure(Operation operation, Work work) {
    const auto begin = Clock::now();
    const std::string failure = work();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    const std::scoped_lock lock(mutex_);
    times_[operation].push_back(ms);
    ++done_;
    if (!failure.empty()) failures_.push_back(std::string(names[operation]) + ": " + failure);
  }

  /// "context 12 (3.1 9.9)": how many, and their median and 99th percentile in milliseconds.
  std::string take() {
    const std::scoped_lock lock(mutex_);
    std::string text;
    for (int i = 0; i < operations; ++i) {
      auto& times = times_[static_cast<std::size_t>(i)];
      std::sort(times.begin(), times.end());
      char line[96];
      const auto at = [&](double share) {
        return times.empty() ? 0.0 : times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
      };
      std::snprintf(line, sizeof line, "  %s %zu (%.1f %.1f)", names[static_cast<std::size_t>(i)], times.size(),
                    at(0.5), at(0.99));
      text += line;
      times.clear();
    }
    return text;
  }
  std::vector<std::string> failures() {
    const std::scoped_lock lock(mutex_);
    return failures_;
  }
  std::size_t done() {
    const std::scoped_lock lock(mutex_);
    return done_;
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<double>, operations> times_{};
  std::vector<std::string> failures_{};
  std::size_t done_ = 0;
};

std::size_t resident_kib() {
  std::ifstream status("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  status >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

std::size_t descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.exists() ? 1 : 1;
  return count;
}

std::string words(std::mt19937& random, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word" + std::to_string(random() % 4'000) + (i % 11 == 10 ? ". " : " ");
  return text;
}

/// Answers, fails, hangs up, or stays silent for a while: by turns.
void serve(test::ServerConnection& connection, const test::ReceivedRequest&, int number) {
  switch (number % 7) {
    case 3: return connection.reply(503, "{}");
    case 5: return connection.reset();
    case 6: std::this_thread::sleep_for(std::chrono::milliseconds(150)); [[fallthrough]];
    default:
      connection.reply(200, R"({"choices":[{"message":{"role":"assistant","content":"All of it is about words."},)"
                            R"("finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}})");
  }
}

/// One of the servers of a host: now here, now gone, always somewhere else.
class ComingAndGoing {
 public:
  std::shared_ptr<LlmClient> client() {
    const std::scoped_lock lock(mutex_);
    return client_;
  }
  void replace() {
    auto server = std::make_unique<test::FaultServer>(serve);
    server->keep_requests(false);
    CurlLlmClientOptions options;
    options.base_url = server->url();
    options.model = "m";
    options.max_attempts = 1;
    options.first_byte_timeout = std::chrono::milliseconds(400);
    auto made = make_curl_llm_client(options);
    const std::scoped_lock lock(mutex_);
    if (made) client_ = std::shared_ptr<LlmClient>(std::move(*made));
    std::swap(server, server_);  // whoever is still talking to the old one finds it gone
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<test::FaultServer> server_;
  std::shared_ptr<LlmClient> client_;
};

struct World {
  std::shared_ptr<ConversationStore> threads;
  std::shared_ptr<KeyValueStore> values;
  ComingAndGoing models;
  Record record;
  std::atomic<bool> ending = false;
};

bool is_passing(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::deadline_exceeded ||
         error.code == ErrorCode::cancelled || error.code == ErrorCode::conflict;
}

template <class T>
std::string complaint(const Result<T>& result) {
  return result || is_passing(result.error()) ? "" : result.error().message;
}

std::string keep_values(World& world, std::mt19937& random, const std::string& id) {
  auto session = ContextStore::open({id, world.values});
  if (!session) return complaint(session);
  for (int i = 0; i < 3; ++i) {
    auto set = (*session)->set("key" + std::to_string(random() % 30), words(random, 40));
    if (!set) return complaint(set);
  }
  auto found = (*session)->search("word17 word42", 3);
  if (random() % 25 == 0) (void)(*session)->destroy();
  return complaint(found);
}

std::string write_prompt(World& world, const std::string& id) {
  const auto composer = PromptComposer::make("You work on {{ context_keys | join(', ') }}. {{ context_instructions }}");
  const auto session = ContextStore::open({id, world.values});
  if (!composer || !session) return complaint(session);
  const auto values = session_values(**session);
  if (!values) return complaint(values);
  return complaint(composer->compose(*values));
}

/// A session is a thread of one host's users: it lives for some hundred turns, then a new one begins.
void live(World& world, unsigned seed) {
  std::mt19937 random(seed);
  for (int life = 0; !world.ending; ++life) {
    const std::string id = std::to_string(seed) + "/" + std::to_string(life % 3);
    WorkflowOptions options;
    options.workflow_id = id;
    options.store = world.threads;
    ContextManagerOptions manager;
    manager.client = world.models.client();
    options.manager = ContextManager(manager);
    auto workflow = *Workflow::open(options);
    for (int turn = 0; turn < 60 && !world.ending; ++turn) {
      AgentTurn asked;
      asked.agent = "a";
      asked.messages = {{Role::user, words(random, 12)}};
      asked.request.budget.max_input_tokens = 2'000;
      asked.artifacts = {make_document("d" + std::to_string(turn % 5), words(random, 800))};
      std::int64_t step = 0;
      world.record.measure(build_op, [&] {
        const auto context = workflow.context_for(asked);
        if (context) step = context->step_number;
        return complaint(context);
      });
      (void)workflow.append({{Role::user, words(random, 12)}, {Role::assistant, words(random, 60)}});
      if (step > 0) world.record.measure(replay_op, [&] { return complaint(workflow.replay(step)); });
      if (turn % 15 == 14) {
        world.record.measure(prune_op, [&] {
          PruneRequest request;
          request.request = asked.request;
          const auto client = world.models.client();
          return complaint(workflow.prune(request, client.get()));
        });
      }
      world.record.measure(value_op, [&] { return keep_values(world, random, id); });
      if (turn % 4 == 0) world.record.measure(prompt_op, [&] { return write_prompt(world, id); });
      if (turn % 5 == 0) {
        world.record.measure(cancel_op, [&] {
          const auto until = Clock::now() + std::chrono::milliseconds(random() % 20);
          CallOptions call{CancellationToken([until] { return Clock::now() > until; })};
          return complaint(workflow.context_for(asked, call));
        });
      }
    }
    (void)workflow.erase();
  }
}

int watch(World& world, int seconds) {
  const auto begin = Clock::now();
  const int interval = std::max(1, seconds / 12);
  std::size_t settled_memory = 0;
  std::size_t settled_descriptors = 0;
  std::size_t memory = 0;
  std::size_t open = 0;
  for (int passed = interval; passed <= seconds; passed += interval) {
    std::this_thread::sleep_until(begin + std::chrono::seconds(passed));
    world.models.replace();
    memory = resident_kib();
    open = descriptors();
    std::printf("%4d s  %zu KiB resident  %zu descriptors%s\n", passed, memory, open, world.record.take().c_str());
    std::fflush(stdout);
    if (passed <= seconds / 3 || settled_memory == 0) {
      settled_memory = std::max(settled_memory, memory);
      settled_descriptors = std::max(settled_descriptors, open);
    }
  }
  world.ending = true;
  const bool grew = memory > settled_memory + settled_memory / 10 + 8'192 || open > settled_descriptors + 16;
  if (grew) std::printf("it still grows after warming up\n");
  return grew ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  const int seconds = count > 1 ? std::atoi(arguments[1]) : 60;
  const int threads = count > 2 ? std::atoi(arguments[2]) : 8;
  const auto folder = std::filesystem::temp_directory_path() / ("ctxmgr-soak-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  int result = 0;
  {
    World world;
    SqliteOptions sqlite;
    sqlite.path = folder / "soak.db";
    sqlite.exclusive = true;
    world.threads = *make_sqlite_conversation_store(sqlite);
    sqlite.path = folder / "values.db";
    world.values = *make_sqlite_key_value_store(sqlite);
    world.models.replace();
    std::vector<std::thread> sessions;
    for (int i = 0; i < threads; ++i) sessions.emplace_back([&world, i] { live(world, static_cast<unsigned>(i)); });
    result = watch(world, seconds);
    for (auto& session : sessions) session.join();
    const auto failures = world.record.failures();
    for (std::size_t i = 0; i < std::min<std::size_t>(5, failures.size()); ++i)
      std::printf("%s\n", failures[i].c_str());
    std::printf("%zu operations, %zu of them failed in a way that they must not; %ju KiB in files\n",
                world.record.done(), failures.size(),
                static_cast<std::uintmax_t>(std::filesystem::file_size(folder / "soak.db") / 1024));
    if (!failures.empty()) result = 1;
  }
  std::filesystem::remove_all(folder);
  return result;
}
