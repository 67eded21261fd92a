// The Redis store beside bare hiredis, in one run, on the server of CTXMGR_TEST_REDIS_URL: one key at a time, and many at
// once, which hiredis pipelines, with values of several sizes.
#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/adapters/redis_key_value_store.hpp"
#include "side_by_side.hpp"

namespace {

/// A bench of what fails would be a fast one.
void must(bool done) {
  if (!done) std::abort();
}

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

  void append(const std::array<std::string_view, 3>& words) {
    std::array<const char*, 3> data{};
    std::array<std::size_t, 3> sizes{};
    int count = 0;
    for (const auto word : words) {
      if (word.empty()) break;
      data[static_cast<std::size_t>(count)] = word.data();
      sizes[static_cast<std::size_t>(count++)] = word.size();
    }
    redisAppendCommandArgv(context_, count, data.data(), sizes.data());
  }

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

void compare_with(int count, std::size_t value_bytes) {
  Bare bare;
  const auto store = open_store();
  const std::string value(value_bytes, 'v');
  std::vector<std::string> keys;
  std::vector<ctxmgr::KeyValueWrite> changes;
  for (int i = 0; i < count; ++i) {
    keys.push_back("bench:key:" + std::to_string(i));
    changes.push_back({keys.back(), value, {}, {}});
  }
  const auto name = std::to_string(count) + " x " + std::to_string(value_bytes) + " B";
  const auto calls = std::max(300 / count, 3);
  const int rounds = count * value_bytes > 1'000'000 ? 40 : 200;
  ctxmgr::bench::compare(
      "set " + name, {rounds, calls},
      [&] {
        for (const auto& key : keys) bare.append({"SET", key, value});
        for (int i = 0; i < count; ++i) must(bare.reply() == "OK");
      },
      [&] { must(store->write("n", changes, {}).has_value()); });
  ctxmgr::bench::compare(
      "get " + name, {rounds, calls},
      [&] {
        for (const auto& key : keys) bare.append({"GET", key});
        for (int i = 0; i < count; ++i) must(bare.reply().size() == value_bytes);
      },
      [&] { must(store->read("n", keys, {}).value().back()->value.size() == value_bytes); });
  must(store->erase_namespace("n", {}).has_value());
}

}  // namespace

int main() {
  for (const std::size_t bytes : {100, 1'000, 4'000, 100'000}) {
    for (const auto count : {1, 10, 100}) compare_with(count, bytes);
  }
}
