#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "account.hpp"
#include "command.hpp"
#include "ctxmgr/ctxmgr.hpp"
#include "manager.hpp"
#include "runs.hpp"

namespace ctxpack {
namespace {

using ctxmgr::ConversationMessage;
using ctxmgr::ErrorCode;
using ctxmgr::Result;

struct SimulateOptions {
  std::string runs;
  std::string requests;
  std::string model = "gpt-5";
  std::int64_t budget = 0;
  bool no_state = false;
  bool json = false;
};

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
    file_ << "{\"run\":" << quoted(run) << ",\"step\":" << step
          << ",\"messages\":" << ctxmgr::to_openai_json(built.messages)
          << ",\"tokens\":" << built.metadata.input_tokens_used << ",\"metadata\":" << ctxmgr::to_json(built.metadata)
          << "}\n";
  }

  void failed(const std::string& run, std::size_t step, const std::string& error) {
    if (path_.empty()) return;
    file_ << "{\"run\":" << quoted(run) << ",\"step\":" << step << ",\"error\":" << quoted(error) << "}\n";
  }

  [[nodiscard]] Result<void> close() {
    if (path_.empty()) return {};
    file_.close();
    if (!file_) return ctxmgr::fail(ErrorCode::limit_exceeded, path_ + ": cannot be written to its end");
    return {};
  }

 private:
  static std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  std::string path_;
  std::ofstream file_;
};

/// What was replayed, added up by policy.
struct Totals {
  std::size_t runs = 0;
  std::size_t runs_over_budget = 0;  ///< Of which not everything can be sent.
  Figures everything{};
  Figures cut_to_half{};
  Figures ctxmgr{};
  std::string first_error{};
};

class Simulation {
 public:
  explicit Simulation(const SimulateOptions& options) : options_(options) {
    ctxmgr::ContextManagerOptions manager;
    manager.token_counters = exact_counters();
    manager_ = ctxmgr::ContextManager(manager);
    model_ = manager_.catalog().find(options.model);
    for (const auto& counter : manager.token_counters)
      if (counter->info().tokenizer == model_.tokenizer) counter_ = counter;
    if (counter_ == nullptr) counter_ = ctxmgr::make_approximate_token_counter();
  }

  /// Builds the request before each assistant message but a first one, with the state of the build before.
  void replay(const RecordedRun& run, RequestWriter& requests) {
    MessagePool pool(run, *counter_);
    const Scale scale{model_, options_.budget, counter_->count_tools(run.tools), needed_literals(run.messages)};
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
    add(account_for_everything(run, pool, scale), account_for_cut_to_half(run, pool, scale), account.figures());
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const ctxmgr::ModelInfo& model() const { return model_; }
  [[nodiscard]] bool is_exact() const { return counter_->info().exact; }

 private:
  [[nodiscard]] ctxmgr::BuildRequest request_for(const RecordedRun& run) const {
    ctxmgr::BuildRequest request;
    request.models.primary = options_.model;
    request.budget.max_input_tokens = options_.budget;
    request.tools = run.tools;
    request.scope = run.id;
    request.history.broken = ctxmgr::BrokenHistory::mend;  // Runs as they were recorded.
    return request;
  }

  void note(const Result<ctxmgr::BuiltContext>& built, const RecordedRun& run, std::size_t step, MessagePool& pool,
            Account& account, RequestWriter& requests) {
    if (!built) {
      account.failed();
      requests.failed(run.id, step, built.error().message);
      if (totals_.first_error.empty())
        totals_.first_error = run.id + ", step " + std::to_string(step) + ": " + built.error().message;
      return;
    }
    std::vector<std::size_t> sent;
    for (const auto& message : built->messages) sent.push_back(pool.add(message));
    account.sent(step, sent);
    requests.sent(run.id, step, *built);
  }

  void add(const Figures& everything, const Figures& cut_to_half, const Figures& ctxmgr) {
    ++totals_.runs;
    totals_.runs_over_budget += everything.over_budget > 0 ? 1 : 0;
    totals_.everything += everything;
    totals_.cut_to_half += cut_to_half;
    totals_.ctxmgr += ctxmgr;
  }

  const SimulateOptions& options_;
  ctxmgr::ContextManager manager_;
  ctxmgr::ModelInfo model_;
  std::shared_ptr<const ctxmgr::TokenCounter> counter_;
  Totals totals_;
};

std::string json_of(const Figures& figures) {
  const nlohmann::ordered_json json{{"steps", figures.steps},
                                    {"failed", figures.failed},
                                    {"over_budget", figures.over_budget},
                                    {"tokens", figures.tokens},
                                    {"cached_tokens", figures.cached},
                                    {"usd", figures.usd},
                                    {"rewrites", figures.rewrites},
                                    {"compactions", figures.compactions},
                                    {"literals", figures.literals},
                                    {"literals_kept", figures.literals_kept},
                                    {"far_literals", figures.far},
                                    {"far_literals_kept", figures.far_kept}};
  return json.dump();
}

std::string json_of(const SimulateOptions& options, const Totals& totals) {
  const auto model = nlohmann::json(options.model).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return "{\"budget\":" + std::to_string(options.budget) + ",\"model\":" + model +
         ",\"runs\":" + std::to_string(totals.runs) +
         ",\"runs_over_budget\":" + std::to_string(totals.runs_over_budget) +
         ",\"policies\":{\"everything\":" + json_of(totals.everything) +
         ",\"cut_to_half\":" + json_of(totals.cut_to_half) + ",\"ctxmgr\":" + json_of(totals.ctxmgr) + "}}\n";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return whole == 0 ? "-" : text;
}

std::string row_of(const char* name, const Figures& figures, const Figures& everything) {
  char price[32] = "-";
  char share[32] = "-";
  if (everything.usd > 0) {
    std::snprintf(price, sizeof price, "%.4f", figures.usd);
    std::snprintf(share, sizeof share, "%.2f", figures.usd / everything.usd);
  }
  char row[256];
  std::snprintf(row, sizeof row, "%-16s %14s %8s %12s %6s %9s %12s %9s %9s %7s\n", name,
                std::to_string(figures.tokens).c_str(), percent(figures.cached, figures.tokens).c_str(), price, share,
                std::to_string(figures.rewrites).c_str(), std::to_string(figures.compactions).c_str(),
                percent(figures.literals_kept, figures.literals).c_str(),
                percent(figures.far_kept, figures.far).c_str(), std::to_string(figures.over_budget).c_str());
  return row;
}

std::string table_of(const SimulateOptions& options, const Simulation& simulation) {
  const Totals& totals = simulation.totals();
  const Figures& all = totals.everything;
  std::string text = std::to_string(totals.runs) + " runs, " + std::to_string(totals.runs_over_budget) +
                     " of them over " + std::to_string(options.budget) + " tokens; " + std::to_string(all.steps) +
                     " requests; tokens and prices of " + printable(options.model) +
                     (simulation.is_exact() ? "" : " (estimated)") + "\n\n";
  char head[256];
  std::snprintf(head, sizeof head, "%-16s %14s %8s %12s %6s %9s %12s %9s %9s %7s\n", "policy", "input tokens", "cached",
                "USD", "x", "rewrites", "compactions", "literals", "far", "over");
  text += head + row_of("everything", all, all) + row_of("cut to half", totals.cut_to_half, all) +
          row_of("ctxmgr", totals.ctxmgr, all);
  text += "\n" + std::to_string(all.literals) + " literals that a call took from earlier messages, " +
          std::to_string(all.far) +
          " of them last seen more than ten turns before: the share that the request still has\n";
  if (!simulation.model().input_usd_per_token) text += "The catalogue has no price for this model.\n";
  if (totals.ctxmgr.failed > 0)
    text += std::to_string(totals.ctxmgr.failed) +
            " requests could not be built; the first: " + printable(totals.first_error) + "\n";
  return text;
}

Result<void> replay_all(RunReader& runs, RequestWriter& requests, Simulation& simulation) {
  Progress progress;
  while (true) {
    const auto next = runs.next();
    if (!next) return tl::unexpected(next.error());
    if (!*next) return requests.close();
    simulation.replay(**next, requests);
    const auto& totals = simulation.totals();
    progress.show(std::to_string(totals.runs) + " runs, " + std::to_string(totals.everything.steps) + " requests");
  }
}

Result<void> run(const SimulateOptions& options) {
  auto runs = RunReader::open(options.runs);
  if (!runs) return tl::unexpected(runs.error());
  auto requests = RequestWriter::open(options.requests);
  if (!requests) return tl::unexpected(requests.error());
  Simulation simulation(options);
  if (auto done = replay_all(*runs, *requests, simulation); !done) return done;
  return write_output({}, options.json ? json_of(options, simulation.totals()) : table_of(options, simulation));
}

}  // namespace

void add_simulate(const Command& program) {
  auto options = std::make_shared<SimulateOptions>();
  const Command command = program.add_command("simulate", "Replays recorded runs: what each request would have been");
  command.add("runs", options->runs, "Runs as JSON Lines: id, messages, tools; - for standard input").required();
  command.add("--budget", options->budget, "Most input tokens of a request, tools included")
      .required()
      .in_range(0, std::int64_t{1} << 40);
  command.add("--model", options->model, "Whose tokens and prices (default gpt-5)");
  command.add("--requests", options->requests, "File for the requests: run, step, messages, tokens, receipt a line");
  command.add_flag("--no-state", options->no_state, "Forget the thread state between two steps");
  command.add_flag("--json", options->json, "Print the figures as JSON");
  command.run([options] {
    const auto done = run(*options);
    return done ? success : report(done.error());
  });
}

}  // namespace ctxpack
