// Exact token counting: throughput on the files given, messages, growth, loading.
//
//     bpe_token_counter_bench [--benchmark_…] FILE...
//
// All times are processor time of one thread. `first_MB/s` is one pass before any other; bytes_per_second what follows.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/adapters/bpe_encoding.hpp"

namespace {

using ctxmgr::BpeEncoding;

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void load(benchmark::State& state, const std::string& name) {
  for (auto _ : state) benchmark::DoNotOptimize(BpeEncoding::load(name)->vocabulary_size());
}

void count(benchmark::State& state, const std::string& name, const std::shared_ptr<std::string>& text) {
  const auto encoding = BpeEncoding::load(name).value();
  const double start = seconds_now();
  benchmark::DoNotOptimize(encoding.count(*text));
  state.counters["first_MB/s"] = static_cast<double>(text->size()) / (seconds_now() - start) / 1e6;
  for (auto _ : state) benchmark::DoNotOptimize(encoding.count(*text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text->size()) * state.iterations());
}

// Each message of the text once, by an encoding that has not counted anything before.
void messages(benchmark::State& state, const std::shared_ptr<std::string>& text) {
  const auto encoding = BpeEncoding::load("o200k_base").value();
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::size_t pos = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(encoding.count(std::string_view(*text).substr(pos, bytes)));
    pos += bytes;
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

// Time for a megabyte of it, and the time for twice as much in relation to that for half a megabyte and for one.
void growth(benchmark::State& state, const std::string& unit) {
  const auto encoding = BpeEncoding::load("o200k_base").value();
  std::string text;
  std::uint32_t random = 1;
  while (text.size() < 1'000'000) {
    random = random * 1'664'525U + 1'013'904'223U;
    if (unit == "letters")
      text += static_cast<char>('a' + (random >> 16U) % 26);
    else if (unit == "cjk")
      text += {static_cast<char>(0xE4 + (random >> 8U) % 5), static_cast<char>(0x80 + (random >> 16U) % 64),
               static_cast<char>(0x80 + (random >> 24U) % 64)};
    else
      text += unit;
  }
  const auto time = [&](std::size_t bytes) {
    const double start = seconds_now();
    benchmark::DoNotOptimize(encoding.count(std::string_view(text).substr(0, bytes)));
    return seconds_now() - start;
  };
  for (auto _ : state) benchmark::DoNotOptimize(encoding.count(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  // The best of rounds that take turns, so that what else the machine does comes upon both.
  double whole = 1e9;
  double half = 1e9;
  for (int round = 0; round < 25; ++round) {
    half = std::min(half, time(499'998));
    whole = std::min(whole, time(999'999));
  }
  state.counters["time_2n/time_n"] = whole / half;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const char* name : {"o200k_base", "cl100k_base"}) {
    benchmark::RegisterBenchmark((std::string("load/") + name).c_str(), load, name)->Unit(benchmark::kMillisecond);
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const auto text =
        std::make_shared<std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    const std::string path = argv[i];
    const std::string stem = path.substr(path.find_last_of('/') + 1);
    for (const char* name : {"o200k_base", "cl100k_base"}) {
      benchmark::RegisterBenchmark(("count/" + stem + "/" + name).c_str(), count, name, text)
          ->Unit(benchmark::kMillisecond);
    }
    for (const std::size_t bytes : {std::size_t{50}, std::size_t{2'000}}) {
      benchmark::RegisterBenchmark(("messages/" + stem).c_str(), messages, text)
          ->Arg(static_cast<std::int64_t>(bytes))
          ->Iterations(std::max<std::int64_t>(static_cast<std::int64_t>(text->size() / bytes), 1));
    }
  }
  for (const char* unit : {"a", " ", "\n", "!", "漢", "letters", "cjk"}) {
    benchmark::RegisterBenchmark((std::string("growth/") + (*unit == ' '    ? "space"
                                                            : *unit == '\n' ? "newline"
                                                                            : unit))
                                     .c_str(),
                                 growth, unit)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
