// What the curl client costs beside libcurl's bare multi interface, against a loopback server that answers after a fixed
// time. CompleteAll/N: N calls at once, 50 ms each. WithoutLatency/1: what one call pays. The counters are for each call
// and of the lower quartile: what the bare interface takes, and what the client adds to it.
#include <benchmark/benchmark.h>
#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/adapters/curl_llm_client.hpp"
#include "support/fault_server.hpp"

namespace ctxmgr {
namespace {

constexpr const char* reply =
    R"({"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"A short summary."}}],)"
    R"("usage":{"prompt_tokens":500,"completion_tokens":5}})";

std::string question() { return std::string(2'000, 'x'); }

class Server {
 public:
  explicit Server(std::chrono::milliseconds latency)
      : server_([latency](test::ServerConnection& connection, const test::ReceivedRequest&, int) {
          if (latency.count() > 0) std::this_thread::sleep_for(latency);
          connection.reply(200, reply);
        }) {
    server_.keep_requests(false);
  }
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  test::FaultServer server_;
};

std::size_t count_bytes(char*, std::size_t size, std::size_t count, void* total) {
  *static_cast<std::size_t*>(total) += size * count;
  return size * count;
}

/// The same requests by libcurl alone, its replies thrown away.
class BareMulti {
 public:
  BareMulti(const std::string& url, std::size_t calls)
      : body_(R"({"model":"m","messages":[{"role":"user","content":")" + question() + R"("}]})") {
    headers_ = curl_slist_append(curl_slist_append(nullptr, "content-type: application/json"), "Expect:");
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(calls));
    for (std::size_t i = 0; i < calls; ++i) {
      CURL* const easy = curl_easy_init();
      curl_easy_setopt(easy, CURLOPT_URL, (url + "/chat/completions").c_str());
      curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_);
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body_.c_str());
      curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &count_bytes);
      curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes_);
      easies_.push_back(easy);
    }
  }
  BareMulti(const BareMulti&) = delete;
  BareMulti& operator=(const BareMulti&) = delete;
  ~BareMulti() {
    for (CURL* const easy : easies_) curl_easy_cleanup(easy);
    curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
  }

  std::size_t run() {
    for (CURL* const easy : easies_) curl_multi_add_handle(multi_, easy);
    int running = 1;
    while (running > 0) {
      curl_multi_perform(multi_, &running);
      if (running > 0) curl_multi_poll(multi_, nullptr, 0, 1'000, nullptr);
    }
    for (CURL* const easy : easies_) curl_multi_remove_handle(multi_, easy);
    return bytes_;
  }

 private:
  CURLM* const multi_ = curl_multi_init();
  const std::string body_;
  curl_slist* headers_ = nullptr;
  std::vector<CURL*> easies_;
  std::size_t bytes_ = 0;
};

/// The same requests by the client.
class Client {
 public:
  Client(const std::string& url, std::size_t calls) {
    CurlLlmClientOptions options;
    options.base_url = url;
    options.model = "m";
    options.max_parallel = calls;
    client_ = *make_curl_llm_client(options);
    LlmRequest request;
    request.messages.emplace_back().content = question();
    requests_.assign(calls, request);
  }

  /// Whether all were answered.
  bool run() {
    const auto results = client_->complete_all(requests_, {});
    return std::all_of(results.begin(), results.end(), [](const auto& result) { return result.has_value(); });
  }

 private:
  std::unique_ptr<CurlLlmClient> client_;
  std::vector<LlmRequest> requests_;
};

using Samples = std::vector<double>;

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Spent {
  Samples wall{};
  Samples cpu{};  ///< Of all threads; the server's are the same for both.

  template <class Run>
  void measure(const Run& run) {
    const auto wall_before = seconds(CLOCK_MONOTONIC);
    const auto cpu_before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    run();
    cpu.push_back(seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before);
    wall.push_back(seconds(CLOCK_MONOTONIC) - wall_before);
  }
};

/// What it takes on a machine that is not busy with something else.
double lower_quartile(Samples samples) {
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 4);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

/// Turn by turn, so that both meet the same machine. The time of an iteration is the client's.
void beside_bare(benchmark::State& state, std::chrono::milliseconds latency) {
  const Server server(latency);
  const auto calls = static_cast<std::size_t>(state.range(0));
  Client client(server.url(), calls);
  BareMulti bare(server.url(), calls);
  client.run();  // Connections are open in both cases.
  bare.run();
  Spent by_client;
  Spent by_bare;
  for (auto _ : state) {
    by_bare.measure([&] { benchmark::DoNotOptimize(bare.run()); });
    by_client.measure([&] {
      if (!client.run()) state.SkipWithError("a call failed");
    });
    state.SetIterationTime(by_client.wall.back());
  }
  const auto per_call = 1e6 / static_cast<double>(state.range(0));
  const auto bare_wall = lower_quartile(by_bare.wall);
  const auto client_wall = lower_quartile(by_client.wall);
  state.counters["throughput_vs_bare"] = bare_wall / client_wall;
  state.counters["bare_us"] = bare_wall * per_call;
  state.counters["added_us"] = (client_wall - bare_wall) * per_call;
  state.counters["added_cpu_us"] = (lower_quartile(by_client.cpu) - lower_quartile(by_bare.cpu)) * per_call;
}

void CompleteAll(benchmark::State& state) { beside_bare(state, std::chrono::milliseconds(50)); }
void WithoutLatency(benchmark::State& state) { beside_bare(state, std::chrono::milliseconds(0)); }

BENCHMARK(CompleteAll)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(WithoutLatency)->Arg(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ctxmgr

BENCHMARK_MAIN();
