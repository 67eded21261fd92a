// What the curl client costs beside libcurl itself, against a loopback server that answers after a fixed time.
// Client/N and BareMulti/N: N calls at once, 50 ms each; Client/1 beside BareEasy/1 with no latency is what one call pays.
#include <benchmark/benchmark.h>
#include <curl/curl.h>

#include <chrono>
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

void run_client(benchmark::State& state, std::chrono::milliseconds latency) {
  const Server server(latency);
  const auto calls = static_cast<std::size_t>(state.range(0));
  CurlLlmClientOptions options;
  options.base_url = server.url();
  options.model = "m";
  options.max_parallel = calls;
  const auto client = make_curl_llm_client(options);
  LlmRequest request;
  request.messages.emplace_back().content = question();
  const std::vector<LlmRequest> requests(calls, request);
  const auto ask = [&] {
    for (const auto& result : (*client)->complete_all(requests, {})) {
      if (!result) state.SkipWithError(result.error().message.c_str());
    }
  };
  ask();  // Connections are open in both cases.
  for (auto _ : state) ask();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void run_bare(benchmark::State& state, std::chrono::milliseconds latency) {
  const Server server(latency);
  BareMulti multi(server.url(), static_cast<std::size_t>(state.range(0)));
  multi.run();
  for (auto _ : state) benchmark::DoNotOptimize(multi.run());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void Client(benchmark::State& state) { run_client(state, std::chrono::milliseconds(50)); }
void BareMultiInterface(benchmark::State& state) { run_bare(state, std::chrono::milliseconds(50)); }
void ClientWithoutLatency(benchmark::State& state) { run_client(state, std::chrono::milliseconds(0)); }
void BareWithoutLatency(benchmark::State& state) { run_bare(state, std::chrono::milliseconds(0)); }

BENCHMARK(Client)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BareMultiInterface)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ClientWithoutLatency)->Arg(1)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BareWithoutLatency)->Arg(1)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ctxmgr

BENCHMARK_MAIN();
