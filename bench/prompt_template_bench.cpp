// Compile and render three prompts; prompt_template_bench.py runs it beside Python's jinja2.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "ctxmgr/prompts/prompt_template.hpp"

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) {
    std::cerr << path << ": cannot be read\n";
    std::exit(2);
  }
  return text;
}

std::string prompt_path(const std::string& name) { return std::string(CTXMGR_BENCH_PROMPTS) + "/" + name; }

void compile(benchmark::State& state, const std::string& name) {
  const std::string source = read_file(prompt_path(name + ".j2"));
  for (auto _ : state) {
    auto prompt = ctxmgr::PromptTemplate::parse(source);
    if (!prompt) state.SkipWithError(prompt.error().message.c_str());
    benchmark::DoNotOptimize(prompt);
  }
}

void render(benchmark::State& state, const std::string& name) {
  const std::string data = read_file(prompt_path(name + ".json"));
  const auto prompt = ctxmgr::PromptTemplate::parse(read_file(prompt_path(name + ".j2")));
  if (!prompt) return state.SkipWithError(prompt.error().message.c_str());
  for (auto _ : state) {
    auto text = prompt->render_json(data);
    if (!text) state.SkipWithError(text.error().message.c_str());
    benchmark::DoNotOptimize(text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"agent", "documents", "chat"}) {
    benchmark::RegisterBenchmark((std::string("compile/") + name).c_str(),
                                 [name](benchmark::State& state) { compile(state, name); });
    benchmark::RegisterBenchmark((std::string("render/") + name).c_str(),
                                 [name](benchmark::State& state) { render(state, name); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
