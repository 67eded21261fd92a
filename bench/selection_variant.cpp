// `ctxpack select` with other constants: what each ingredient of the selection gives, and how much hangs on each value.
//
//   selection_variant CASES --budget N,N [--histories FILE] [--artifacts FILE] [--counter chars4|o200k] [--share X]
//                     [--join 1] [--set NAME=VALUE]...
//
// NAME is a field of SelectionWeights. --share X: only this share of each budget is given to the selection, so that a
// counter which sees fewer tokens than characters / 4 stays within what the score allows. --join 1: all that a case has is one long document. --list: prints the constants.

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "engine/index/artifact_item.hpp"
#include "engine/selection/selection_internal.hpp"
#include "selection_constants.hpp"
#ifdef CTXMGR_BENCH_BPE
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif

namespace {

using namespace ctxmgr;
using engine::SelectionWeights;

struct Options {
  ctxpack::CaseFiles files;
  std::vector<std::int64_t> budgets;
  std::string counter = "chars4";
  double share = 1;
  bool join = false;
  SelectionWeights weights;
};

bool read_option(std::string_view name, std::string_view value, Options& options) {
  if (name == "--histories") return options.files.histories = value, true;
  if (name == "--artifacts") return options.files.artifacts = value, true;
  if (name == "--counter") return options.counter = value, true;
  if (name == "--share") return options.share = bench::number_of<double>(value), true;
  if (name == "--join") return options.join = value == "1", true;
  if (name == "--set") return bench::set_constant(value, options.weights);
  if (name != "--budget") return false;
  for (std::size_t at = 0; at < value.size(); at = std::min(value.find(',', at), value.size() - 1) + 1)
    options.budgets.push_back(bench::number_of<std::int64_t>(value.substr(at)));
  return true;
}

void join(ctxpack::Question& question) {
  Artifact all;
  for (std::size_t i = 0; i < question.artifacts.size(); ++i) {
    if (!question.titles[i].empty()) all.content += question.titles[i] + "\n";
    all.content += question.artifacts[i].content + "\n\n";
  }
  question.artifacts = {all};
  question.titles = {{}};
  question.request.headers.clear();
}

std::unique_ptr<TokenCounter> make_counter(const std::string& name) {
#ifdef CTXMGR_BENCH_BPE
  if (name == "o200k") {
    auto counter = make_bpe_token_counter();
    return counter ? std::move(*counter) : nullptr;
  }
#endif
  return name == "chars4" ? ctxpack::make_chars4_counter() : nullptr;
}

Result<void> run(const Options& options, const TokenCounter& counter) {
  const auto cases = ctxpack::Cases::read(options.files);
  if (!cases) return tl::unexpected(cases.error());
  return cases->for_each([&](const ctxpack::CaseRows& rows) {
    auto question = ctxpack::question_of(rows);
    if (options.join) join(question);
    engine::TextIndex index;
    for (const Artifact& artifact : question.artifacts) index.append(engine::ArtifactItem(artifact).text());
    const auto slices = engine::slices_of(index, question.artifacts, question.request);
    for (const std::int64_t budget : options.budgets) {
      question.request.budget_tokens = std::llround(options.share * static_cast<double>(budget));
      const Selection selection = engine::select(slices, question.request, counter, options.weights);
      const std::string line = ctxpack::prediction_of(*rows.row, budget, ctxpack::context_of(selection, question));
      std::fwrite(line.data(), 1, line.size(), stdout);
    }
  });
}

int list() {
  for (const bench::Constant& constant : bench::constants)
    std::printf("%s %g\n", std::string(constant.name).c_str(), SelectionWeights{}.*constant.value);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--list") return list();
  Options options;
  bool ok = arguments.size() % 2 == 1;
  if (ok) options.files.cases = arguments[0];
  for (std::size_t i = 1; ok && i < arguments.size(); i += 2) ok = read_option(arguments[i], arguments[i + 1], options);
  const auto counter = make_counter(options.counter);
  if (!ok || counter == nullptr) return std::fprintf(stderr, "usage: see the head of selection_variant.cpp\n"), 2;
  const auto done = run(options, *counter);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 2;
}
