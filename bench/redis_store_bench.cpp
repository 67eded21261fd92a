// The Redis store beside bare hiredis, in one run, on the server of CTXMGR_TEST_REDIS_URL: one key at a time, and many at
// once, which hiredis pipelines.
#include <benchmark/benchmark.h>
#include <hiredis/hiredis.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/adapters/redis_key_value_store.hpp"

namespace {

constexpr std::size_t value_bytes = 1'000;

std::string server_url() {
  const char* url = std::getenv("CTXMGR_TEST_REDIS_URL");
  return url ? url : "redis://127.0.0.1:6379/0";
}

std::unique_ptr<ctxmgr::KeyValueStore> open_store() {
  ctxmgr::RedisOptions options;
  options.url = server_url();
  options.key_prefix = "bench:store:";
  return ctxmgr::make_redis_key_value_store(options).value();
}

class Bare {
 public:
  Bare() {
    const auto url = server_url().substr(8);
    const auto colon = url.find(':');
    context_ = redisConnect(url.substr(0, colon).c_str(), std::atoi(url.c_str() + colon + 1));
  }
  ~Bare() { redisFree(context_); }

  void append_set(const std::string& key, const std::string& value) {
    redisAppendCommand(context_, "SET %b %b", key.data(), key.size(), value.data(), value.size());
  }
  void append_get(const std::string& key) { redisAppendCommand(context_, "GET %b", key.data(), key.size()); }

  std::string reply() {
    void* reply = nullptr;
    if (redisGetReply(context_, &reply) != REDIS_OK) return {};
    auto* typed = static_cast<redisReply*>(reply);
    std::string text(typed->str ? typed->str : "", typed->len);
    freeReplyObject(reply);
    return text;
  }

 private:
  redisContext* context_;
};

std::vector<std::string> keys_of(const benchmark::State& state) {
  std::vector<std::string> keys;
  for (int i = 0; i < state.range(0); ++i) keys.push_back("bench:key:" + std::to_string(i));
  return keys;
}

void bare_set(benchmark::State& state) {
  Bare bare;
  const auto keys = keys_of(state);
  const std::string value(value_bytes, 'v');
  for (auto _ : state) {
    for (const auto& key : keys) bare.append_set(key, value);
    for (std::size_t i = 0; i < keys.size(); ++i) benchmark::DoNotOptimize(bare.reply());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void store_set(benchmark::State& state) {
  const auto store = open_store();
  const std::string value(value_bytes, 'v');
  std::vector<ctxmgr::KeyValueWrite> changes;
  for (const auto& key : keys_of(state)) changes.push_back({key, value, {}, {}});
  for (auto _ : state) {
    if (!store->write("n", changes, {})) state.SkipWithError("write failed");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void bare_get(benchmark::State& state) {
  Bare bare;
  const auto keys = keys_of(state);
  for (const auto& key : keys) bare.append_set(key, std::string(value_bytes, 'v'));
  for (std::size_t i = 0; i < keys.size(); ++i) (void)bare.reply();
  for (auto _ : state) {
    for (const auto& key : keys) bare.append_get(key);
    for (std::size_t i = 0; i < keys.size(); ++i) benchmark::DoNotOptimize(bare.reply());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void store_get(benchmark::State& state) {
  const auto store = open_store();
  const auto keys = keys_of(state);
  for (const auto& key : keys) (void)store->write("n", {{key, std::string(value_bytes, 'v'), {}, {}}}, {});
  for (auto _ : state) {
    if (!store->read("n", keys, {})) state.SkipWithError("read failed");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(bare_get)->Arg(1)->Arg(100)->UseRealTime();
BENCHMARK(store_get)->Arg(1)->Arg(100)->UseRealTime();
BENCHMARK(bare_set)->Arg(1)->Arg(100)->UseRealTime();
BENCHMARK(store_set)->Arg(1)->Arg(100)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
