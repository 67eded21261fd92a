// What a build costs.
//
// Warm/MESSAGES/ARTIFACTS: a thread of so many messages, artifacts that do not change, a budget of 16 000 tokens, and one
// message appended before each build; the host passes the thread state. `growth` beside Warm/2N is the ratio to Warm/N.
// Cold/MESSAGES/ARTIFACTS: the first build of the same thread on a new manager.
// Archived/ARTIFACTS/STORE: the same build, 1 000 messages, without and with a session that keeps what is left out, in memory
// (0) or in a file that is its own (1): processor time of the builds with one over those without, of the first build, where
// everything is new to manager and session (`first_ratio`), and of later ones (`ratio`).
// Step/MESSAGES and Question/MESSAGES: an agent's thread of so many messages, options as they are by default; each build comes
// after a call with its result, or after an answer and a new question: median, worst of all but the first build.
// Work/MESSAGES: the same as Step in a thread of 1 360 bytes a message, as agents have them (136 MB at 100 000), and in processor
// time. Each build hashes all of it. The first build is printed apart.
// Summaries/32: a plan and 32 summaries from a loopback server that answers after 200 ms; `ratio` is the whole build over
// one plan and one summary (two latencies).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "ctxmgr/adapters/sqlite_stores.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "support/fault_server.hpp"

namespace ctxmgr {
namespace {

constexpr std::int64_t budget_tokens = 16'000;
constexpr std::chrono::milliseconds latency{200};
constexpr std::size_t summaries = 32;

/// One of some thousand words, of letters alone: messages that are alike but for digits count as repeated.
std::string word(std::size_t number) {
  std::string made;
  for (int syllable = 0; syllable < 3; ++syllable, number /= 20) {
    made += "bdfgklmnprstvz"[number % 14];
    made += "aeiou"[number % 5];
  }
  return made;
}

/// Text of about 400 bytes, different for each seed, from a vocabulary of some thousand words.
std::string text(std::size_t seed, std::size_t words = 60) {
  std::string made;
  std::size_t state = seed * 2'654'435'761U + 12'345;
  for (std::size_t i = 0; i < words; ++i) {
    state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    made += word((state >> 33) % 4'000) + (i % 11 == 10 ? ". " : " ");
  }
  return made;
}

Context make_context(std::size_t messages, std::size_t artifacts) {
  Context context;
  context.conversation_history.push_back({Role::system, "You are an agent."});
  for (std::size_t i = 1; i < messages; ++i) {
    context.conversation_history.push_back({i % 2 == 1 ? Role::user : Role::assistant, text(i)});
  }
  for (std::size_t i = 0; i < artifacts; ++i) {
    context.artifacts.push_back(make_document("doc" + std::to_string(i), text(1'000'000 + i, 600)));
  }
  return context;
}

BuildRequest make_request() {
  BuildRequest request;
  request.models = ModelConfig::from_request("gpt-4o");
  request.budget.max_input_tokens = budget_tokens;
  return request;
}

void cold(benchmark::State& state) {
  const auto context = make_context(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    const ContextManager manager;
    const auto built = manager.build(context, make_request());
    if (!built) state.SkipWithError(built.error().message.c_str());
  }
}

void warm(benchmark::State& state) {
  auto context = make_context(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  ContextManagerOptions options;
  options.analysis_cache_bytes = std::size_t{4} << 30;
  const ContextManager manager(options);
  auto request = make_request();
  std::size_t seed = 10'000'000;
  if (const auto first = manager.build(context, request)) request.thread_state = first->thread_state;
  for (auto _ : state) {
    const auto built = manager.build(context, request);
    if (!built) state.SkipWithError(built.error().message.c_str());
    state.PauseTiming();
    request.thread_state = built->thread_state;
    context.conversation_history.push_back({seed % 2 == 0 ? Role::user : Role::assistant, text(seed)});
    ++seed;
    state.ResumeTiming();
  }
}

void add_step(Context& context, std::size_t seed) {
  const auto id = "call_" + std::to_string(seed);
  ConversationMessage call{Role::assistant, ""};
  call.tool_calls.push_back({id, "read_file", R"({"path":"src/part)" + std::to_string(seed) + R"(.cpp"})"});
  ConversationMessage result{Role::tool, text(seed, 90)};
  result.tool_call_id = id;
  context.conversation_history.push_back(std::move(call));
  context.conversation_history.push_back(std::move(result));
}

/// A question, three calls with results of some hundred tokens, an answer.
void add_turn(Context& context, std::size_t seed) {
  auto& messages = context.conversation_history;
  messages.push_back({Role::user, "What about " + word(seed) + "? " + text(seed, 12)});
  for (std::size_t i = 0; i < 3; ++i) add_step(context, 10 * seed + i);
  messages.push_back({Role::assistant, text(seed + 1, 40)});
}

/// The median of `builds` builds, and the slowest; a first one that reads the whole thread is not among them.
void grow(benchmark::State& state, const std::function<void(Context&, std::size_t)>& add) {
  Context context;
  context.conversation_history.push_back({Role::system, "You are an agent."});
  std::size_t seed = 1;
  while (context.conversation_history.size() < static_cast<std::size_t>(state.range(0))) add_turn(context, seed++);
  context.conversation_history.push_back({Role::user, "Where is " + word(17) + " described?"});
  seed *= 10;  // Ids of calls are used once.
  const ContextManager manager;
  auto request = make_request();
  if (const auto first = manager.build(context, request)) request.thread_state = first->thread_state;
  std::vector<double> taken;
  for (auto _ : state) {
    add(context, seed++);
    const auto begin = std::chrono::steady_clock::now();
    const auto built = manager.build(context, request);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!built) return state.SkipWithError(built.error().message.c_str());
    taken.push_back(seconds);
    state.SetIterationTime(seconds);
    request.thread_state = built->thread_state;
  }
  std::sort(taken.begin(), taken.end());
  state.counters["median_ms"] = taken[taken.size() / 2] * 1'000;
  state.counters["worst_ms"] = taken.back() * 1'000;
}

void step(benchmark::State& state) { grow(state, add_step); }

/// As long as agents' steps are: some words, and a file.
void add_work(Context& context, std::size_t seed) {
  const auto id = "call_" + std::to_string(seed);
  ConversationMessage call{Role::assistant, text(seed, 40)};
  call.tool_calls.push_back({id, "read_file", R"({"path":"src/part)" + std::to_string(seed) + R"(.cpp"})"});
  ConversationMessage result{Role::tool, text(seed + 7, 340)};
  result.tool_call_id = id;
  context.conversation_history.push_back(std::move(call));
  context.conversation_history.push_back(std::move(result));
}

void work(benchmark::State& state) {
  Context context;
  const auto messages = static_cast<std::size_t>(state.range(0));
  context.conversation_history.push_back({Role::system, "You are an agent."});
  context.conversation_history.push_back(
      {Role::user, "Mend the modules, one after the other, and say what was wrong."});
  std::size_t seed = 1;
  while (context.conversation_history.size() < messages) add_work(context, seed++);
  const ContextManager manager;
  auto request = make_request();
  const auto milliseconds = [&] {
    const auto begin = std::clock();
    const auto built = manager.build(context, request);
    if (!built) state.SkipWithError(built.error().message.c_str());
    request.thread_state = built ? built->thread_state : ThreadState{};
    return 1'000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  state.counters["first_ms"] = milliseconds();
  std::vector<double> taken;
  for (auto _ : state) {
    add_work(context, seed++);
    taken.push_back(milliseconds());
    state.SetIterationTime(taken.back() / 1'000);
  }
  std::sort(taken.begin(), taken.end());
  state.counters["median_ms"] = taken[taken.size() / 2];
  state.counters["worst_ms"] = taken.back();
}

void question(benchmark::State& state) {
  grow(state, [](Context& context, std::size_t seed) {
    context.conversation_history.push_back({Role::assistant, text(seed, 40)});
    context.conversation_history.push_back(
        {Role::user, "And " + word(seed * 7) + ", what of " + word(seed) + " and " + word(seed * 13) + "?"});
  });
}

std::string chat_reply(const std::string& content) {
  LlmResponse unused;
  ConversationMessage message{Role::assistant, content};
  return R"({"choices":[{"index":0,"finish_reason":"stop","message":)" +
         to_openai_json({message}).substr(1, to_openai_json({message}).size() - 2) +
         R"(}],"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}})";
}

std::string plan_for_all() {
  std::string decisions;
  for (std::size_t i = 1; i <= summaries; ++i) {
    decisions +=
        std::string(i > 1 ? "," : "") + R"({"artifact":"a)" + std::to_string(i) +
        R"(","strategy":"summarize","priority":1,"rationale":"","focus":"words","query":"","target_tokens":100})";
  }
  return R"({"reasoning":"all","decisions":[)" + decisions + "]}";
}

void summarize(benchmark::State& state) {
  test::FaultServer server([](test::ServerConnection& connection, const test::ReceivedRequest& request, int) {
    std::this_thread::sleep_for(latency);
    const bool plan = request.body.find("catalogue-") != std::string::npos;
    connection.reply(200, chat_reply(plan ? plan_for_all() : "Words, and nothing else."),
                     {"Content-Type: application/json"});
  });
  CurlLlmClientOptions client_options;
  client_options.base_url = server.url() + "/v1";
  auto client = make_curl_llm_client(client_options);
  if (!client) return state.SkipWithError(client.error().message.c_str());
  ContextManagerOptions options;
  options.client = std::move(*client);
  auto context = make_context(2, summaries);
  auto request = make_request();
  double seconds = 0;
  for (auto _ : state) {
    const ContextManager manager(options);  // A cache of its own: every summary is made.
    const auto begin = std::chrono::steady_clock::now();
    const auto built = manager.build(context, request);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!built || built->metadata.planning_usage.summarizer.calls < static_cast<std::int64_t>(summaries)) {
      state.SkipWithError("not every summary was made");
      return;
    }
  }
  const double two_calls = 2 * std::chrono::duration<double>(latency).count();
  state.counters["ratio"] = seconds / static_cast<double>(state.iterations()) / two_calls;
}

std::shared_ptr<KeyValueStore> make_store(bool in_file) {
  if (!in_file) return make_memory_key_value_store();
  const char* directory = std::getenv("CTXMGR_BENCH_DIR");
  SqliteOptions options;
  options.path = std::string(directory ? directory : "/tmp") + "/ctxmgr-archived-bench.db";
  options.exclusive = true;
  return make_sqlite_key_value_store(options).value();
}

void archived(benchmark::State& state) {
  const auto context = make_context(1'000, static_cast<std::size_t>(state.range(0)));
  ContextManagerOptions options;
  options.analysis_cache_bytes = std::size_t{4} << 30;
  const ContextManager manager(options);
  ContextStoreOptions session_options;
  session_options.session_id = "bench";
  session_options.store = make_store(state.range(1) == 1);
  const auto session = ContextStore::open(session_options).value();
  if (!session->clear()) return state.SkipWithError("the session cannot be cleared");
  auto request = make_request();
  const auto seconds = [&](const std::shared_ptr<ContextStore>& archive) {
    request.archive = archive;
    const auto begin = std::clock();
    const auto built = manager.build(context, request);
    if (!built) state.SkipWithError(built.error().message.c_str());
    request.thread_state = built ? built->thread_state : ThreadState{};
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double cold = seconds(nullptr);
  const double kept_first = seconds(session);
  double without = std::numeric_limits<double>::max();
  double with = without;
  for (auto _ : state) {
    without = std::min(without, seconds(nullptr));
    with = std::min(with, seconds(session));
  }
  state.counters["cold_ms"] = cold * 1'000;
  state.counters["warm_ms"] = without * 1'000;
  state.counters["first_ratio"] = (cold + kept_first - without) / cold;
  state.counters["ratio"] = with / without;
  if (!session->destroy()) state.SkipWithError("the session cannot be destroyed");
}

BENCHMARK(cold)
    ->Name("Cold")
    ->Args({1'000, 10})
    ->Args({10'000, 100})
    ->Args({100'000, 1'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(warm)
    ->Name("Warm")
    ->Args({1'000, 10})
    ->Args({10'000, 100})
    ->Args({100'000, 100})
    ->Args({100'000, 1'000})
    ->Args({200'000, 100})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(60);
BENCHMARK(step)->Name("Step")->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(60);
BENCHMARK(work)
    ->Name("Work")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(100);
BENCHMARK(question)
    ->Name("Question")
    ->Arg(1'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(20);
BENCHMARK(archived)
    ->Name("Archived")
    ->Args({100, 0})
    ->Args({100, 1})
    ->Args({1'000, 0})
    ->Args({1'000, 1})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);
BENCHMARK(summarize)->Name("Summaries/32")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace ctxmgr

BENCHMARK_MAIN();
