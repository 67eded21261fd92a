#include <algorithm>
#include <fstream>
#include <memory>
#include <set>

#include "account.hpp"
#include "baselines.hpp"
#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "embedder.hpp"
#include "manager.hpp"
#include "option_names.hpp"
#include "requests_file.hpp"
#include "runs.hpp"
#include "simulation_table.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::Result;

struct SimulateOptions {
  std::string runs;
  std::string requests;
  std::vector<std::string> scored;
  std::string model = "gpt-5.6";
  std::string price = "model";
  std::string gold;
  EmbedderOptions embedder;
  std::int64_t budget = 0;
  bool no_state = false;
  bool json = false;
};

constexpr auto with_passages = "cut to half with BM25";

/// Where the requests go; nowhere without a path.
class RequestWriter {
 public:
  [[nodiscard]] static Result<RequestWriter> open(const std::string& path) {
    RequestWriter writer;
    writer.path_ = path;
    if (path.empty()) return writer;
    writer.file_.open(path, std::ios::binary);
    if (!writer.file_) return ctxmgr::fail(ErrorCode::invalid_argument, path + ": cannot be written");
    return writer;
  }

  void sent(const std::string& run, std::size_t step, const ctxmgr::BuiltContext& built) {
    if (path_.empty()) return;
    file_ << "{\"run\":" << json_string(run) << ",\"step\":" << step
          << ",\"messages\":" << ctxmgr::to_openai_json(built.messages)
          << ",\"tokens\":" << built.metadata.input_tokens_used << ",\"metadata\":" << ctxmgr::to_json(built.metadata)
          << "}\n";
  }

  void failed(const std::string& run, std::size_t step, const std::string& error) {
    if (path_.empty()) return;
    file_ << "{\"run\":" << json_string(run) << ",\"step\":" << step << ",\"error\":" << json_string(error) << "}\n";
  }

  [[nodiscard]] Result<void> close() {
    if (path_.empty()) return {};
    file_.close();
    if (!file_) return ctxmgr::fail(ErrorCode::limit_exceeded, path_ + ": cannot be written to its end");
    return {};
  }

 private:
  std::string path_;
  std::ofstream file_;
};

class Simulation {
 public:
  Simulation(const SimulateOptions& options, std::vector<RequestsFile> scored, Gold gold,
             std::shared_ptr<ctxmgr::Embedder> embedder)
      : options_(options), scored_(std::move(scored)), gold_(std::move(gold)) {
    ctxmgr::ContextManagerOptions manager;
    manager.embedder = std::move(embedder);
    manager.token_counters = exact_counters();
    manager_ = ctxmgr::ContextManager(manager);
    model_ = manager_.catalog().find(options.model);
    for (const auto& counter : manager.token_counters)
      if (counter->info().tokenizer == model_.tokenizer) counter_ = counter;
    if (counter_ == nullptr) counter_ = ctxmgr::make_approximate_token_counter();
  }

  /// A run under each policy. One that a file of requests has nothing of is left out.
  [[nodiscard]] Result<void> replay(RecordedRun& run, RequestWriter& requests) {
    if (std::any_of(scored_.begin(), scored_.end(), [&](const auto& file) { return !file.has(run.id); })) {
      ++totals_.left_out;
      return {};
    }
    if (const auto found = gold_.find(run.id); found != gold_.end()) run.gold = found->second;
    const Scale scale{model_, options_.budget, counter_->count_tools(run.tools), wanted_of(run, options_.budget)};
    MessagePool pool(run, *counter_);
    const auto everything = account_for_everything(run, pool, scale);
    ++totals_.runs;
    totals_.runs_over_budget += everything.over_budget > 0 ? 1 : 0;
    totals_.add("everything", everything);
    const auto half = account_for_tail(run, pool, scale, {});
    totals_.add("cut to half", half);
    totals_.add("cut to half with names", account_for_tail(run, pool, scale, {names_share, 0}));
    is_asked_ = is_asked_ || !run.asks.empty();
    totals_.add(with_passages, run.asks.empty() ? half : account_for_tail(run, pool, scale, {0, block_tokens}));
    totals_.add("ctxmgr", account_for_builds(run, pool, scale, requests));
    for (auto& file : scored_) {
      const auto figures = account_for_file(run, pool, scale, file);
      if (!figures) return tl::unexpected(figures.error());
      totals_.add(file.name(), *figures);
    }
    return {};
  }

  [[nodiscard]] std::size_t runs() const { return totals_.runs; }
  /// Without questions, passages for them are no policy of its own.
  [[nodiscard]] Totals totals() const {
    auto totals = totals_;
    const auto is_that = [](const auto& policy) { return policy.first == with_passages; };
    auto& policies = totals.policies;
    if (!is_asked_) policies.erase(std::remove_if(policies.begin(), policies.end(), is_that), policies.end());
    return totals;
  }
  [[nodiscard]] Heading heading() const {
    return {options_.budget, options_.model, counter_->info().exact,
            options_.price == "local"                ? Price::local
            : model_.input_usd_per_token.has_value() ? Price::model
                                                     : Price::unknown};
  }

 private:
  static constexpr double names_share = 0.1;
  static constexpr std::int64_t block_tokens = 1'200;

  /// Builds the request before each assistant message but a first one, with the state of the build before.
  Figures account_for_builds(const RecordedRun& run, MessagePool& pool, const Scale& scale, RequestWriter& requests) {
    Account account(pool, scale);
    ctxmgr::Context context;
    auto request = request_for(run);
    for (std::size_t step = 0; step < run.messages.size(); ++step) {
      if (step > 0 && run.messages[step].role == ctxmgr::Role::assistant) {
        const auto built = manager_.build(context, request);
        note(built, run, step, pool, account, requests);
        if (built && !options_.no_state) request.thread_state = built->thread_state;
      }
      context.conversation_history.push_back(run.messages[step]);
    }
    return account.figures();
  }

  [[nodiscard]] static Result<Figures> account_for_file(const RecordedRun& run, MessagePool& pool, const Scale& scale,
                                                        RequestsFile& file) {
    if (auto checked = file.check(run); !checked) return tl::unexpected(checked.error());
    Account account(pool, scale);
    for (std::size_t step = 1; step < run.messages.size(); ++step) {
      if (run.messages[step].role != ctxmgr::Role::assistant) continue;
      const auto messages = file.at(run.id, step);
      if (!messages) return tl::unexpected(messages.error());
      if (!*messages) {
        account.failed();
        continue;
      }
      std::vector<std::size_t> sent;
      for (const auto& message : **messages) sent.push_back(pool.add(message));
      account.sent(step, sent);
    }
    return account.figures();
  }

  [[nodiscard]] ctxmgr::BuildRequest request_for(const RecordedRun& run) const {
    ctxmgr::BuildRequest request;
    request.models.primary = options_.model;
    request.budget.max_input_tokens = options_.budget;
    request.tools = run.tools;
    request.scope = run.id;
    return request;
  }

  void note(const Result<ctxmgr::BuiltContext>& built, const RecordedRun& run, std::size_t step, MessagePool& pool,
            Account& account, RequestWriter& requests) {
    if (!built) {
      const auto why = in_options(built.error().message);
      account.failed();
      requests.failed(run.id, step, why);
      if (totals_.first_error.empty()) totals_.first_error = run.id + ", step " + std::to_string(step) + ": " + why;
      return;
    }
    std::vector<std::size_t> sent;
    for (const auto& message : built->messages) sent.push_back(pool.add(message));
    account.sent(step, sent);
    requests.sent(run.id, step, *built);
  }

  const SimulateOptions& options_;
  std::vector<RequestsFile> scored_;
  Gold gold_;
  ctxmgr::ContextManager manager_;
  ctxmgr::ModelInfo model_;
  std::shared_ptr<const ctxmgr::TokenCounter> counter_;
  Totals totals_;
  bool is_asked_ = false;
};

Result<void> replay_all(RunReader& runs, RequestWriter& requests, Simulation& simulation) {
  Progress progress;
  while (true) {
    auto next = runs.next();
    if (!next) return tl::unexpected(next.error());
    if (!*next) break;
    if (auto done = simulation.replay(**next, requests); !done) return done;
    progress.show(std::to_string(simulation.runs()) + " runs");
  }
  return requests.close();
}

Result<std::vector<RequestsFile>> open_all(const std::vector<std::string>& paths) {
  std::vector<RequestsFile> files;
  std::set<std::string> names{"everything", "cut to half", "cut to half with names", with_passages, "ctxmgr"};
  for (const auto& path : paths) {
    auto file = RequestsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (!names.insert(file->name()).second)
      return ctxmgr::fail(ErrorCode::invalid_argument, path + ": another policy has this name");
    files.push_back(std::move(*file));
  }
  return files;
}

Result<void> run_simulate(const SimulateOptions& options) {
  auto runs = RunReader::open(options.runs);
  if (!runs) return tl::unexpected(runs.error());
  auto requests = RequestWriter::open(options.requests);
  if (!requests) return tl::unexpected(requests.error());
  auto scored = open_all(options.scored);
  if (!scored) return tl::unexpected(scored.error());
  auto gold = read_gold(options.gold);
  if (!gold) return tl::unexpected(gold.error());
  if (options.price == "local")
    warn_of_unknown_model("--model", options.model);  // Its prices are not asked for.
  else if (auto known = refuse_misspelt_model("--model", options.model); !known)
    return tl::unexpected(known.error());
  auto embedder = make_embedder(options.embedder);
  if (!embedder) return tl::unexpected(embedder.error());
  Simulation simulation(options, std::move(*scored), std::move(*gold), std::move(*embedder));
  if (auto done = replay_all(*runs, *requests, simulation); !done) return done;
  const auto totals = simulation.totals();
  if (totals.runs + totals.left_out == 0)
    return ctxmgr::fail(ErrorCode::invalid_argument,
                        (options.runs == "-" ? "standard input" : options.runs) + ": has no runs");
  return write_output({},
                      options.json ? json_of(simulation.heading(), totals) : table_of(simulation.heading(), totals));
}

}  // namespace

void add_simulate(const Command& program) {
  auto options = std::make_shared<SimulateOptions>();
  const Command command = program.add_command(
      "simulate", "Replays recorded runs: what they would have cost within a budget, and what each request still held");
  command.add("runs", options->runs, "Runs as JSON Lines: id, messages, tools; - for standard input").required();
  command.add("--budget", options->budget, "Most input tokens of a request, tools included")
      .required()
      .in_range(1, std::int64_t{1} << 40);
  command.add("--model", options->model, "Model whose tokens and prices count (default gpt-5.6)");
  command
      .add("--price", options->price,
           "model (default): USD at the catalogue's prices; local: the tokens that a model of your own evaluates, "
           "which are "
           "those behind the common beginning with the request before")
      .one_of({"model", "local"});
  command.add("--gold", options->gold,
              "Cases, a JSON object a line: case_id and gold, whose spans the last request of the run with this id "
              "should hold");
  command.add("--requests", options->requests,
              "File to write the requests to, a JSON object a line: run, step, messages, tokens, receipt");
  command
      .add("--score", options->scored,
           "File of requests that another program made, a JSON object a line: run, step, messages. Repeatable")
      .once_each();
  add_embedder(command, options->embedder);
  command.add_flag("--no-state", options->no_state, "Build each request without the thread state of the one before");
  command.add_flag("--json", options->json, "Print the figures as JSON");
  command.show_after_help(
      "Examples:\n"
      "  ctxpack simulate runs.jsonl --budget 8000\n"
      "  ctxpack simulate runs.jsonl --budget 8000 --requests requests.jsonl && ctxpack report requests.jsonl --out "
      "runs.html");
  command.run([options] { return finish(run_simulate(*options)); });
}

}  // namespace ctxpack
