#include "serve/asking.hpp"

#include <algorithm>
#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/wire.hpp"
#include "option_names.hpp"
#include "serve/deferred_tools.hpp"
#include "serve/headers.hpp"
#include "serve/own_tools.hpp"
#include "serve/readings.hpp"
#include "serve/usage_reader.hpp"
#include "serve/whole_answer.hpp"
#include "stores.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::Result;

constexpr std::size_t most_error_bytes = std::size_t{64} << 10;
constexpr std::size_t most_answer_bytes = std::size_t{8} << 20;
constexpr std::size_t most_rounds = 8;

/// A page that is read has to find room beside what is there already, or it would be a handle again.
ctxmgr::ContextTools tools_over(const std::shared_ptr<ctxmgr::ContextStore>& session,
                                std::optional<std::int64_t> budget) {
  constexpr std::int64_t least = 200;
  constexpr std::int64_t share = 8;
  ctxmgr::ContextToolsOptions options;
  if (budget) options.max_result_tokens = std::clamp(*budget / share, least, options.max_result_tokens);
  return ctxmgr::ContextTools(session, options);
}

/// Of one request: what it carries, and nothing that another has left there.
std::shared_ptr<ctxmgr::ContextStore> passing_session() {
  ctxmgr::ContextStoreOptions options;
  options.session_id = "request";
  options.store = ctxmgr::make_memory_key_value_store();
  auto session = ctxmgr::ContextStore::open(std::move(options));
  return session ? std::move(*session) : nullptr;
}

/// Of a window, what a request may take: an answer needs room, too, as much as was asked for.
std::int64_t countable_of(std::int64_t window, std::int64_t asked_output) {
  constexpr std::int64_t answer = 4'096;
  return window - std::max(std::min(answer, window / 4), std::min(asked_output, window / 2));
}

ctxmgr::UsageMetadata usage_of(const WholeAnswer& answer) {
  UsageReader reader(value_of(answer.headers(), "content-type"));
  reader.read(answer.body());
  reader.end();
  return reader.usage();
}

}  // namespace

Asking::Asking(const ProxyOptions& options, const Threads& threads, Windows& windows, Incoming incoming,
               ctxmgr::CallOptions call, view::Step& step)
    : options_(options),
      threads_(threads),
      windows_(windows),
      incoming_(std::move(incoming)),
      call_(std::move(call)),
      step_(step) {}

ctxmgr::BudgetOptions Asking::budget() const {
  const auto& model = incoming_.glance.model;
  ctxmgr::BudgetOptions budget;
  const auto& owner = incoming_.owner;
  const auto calibration = threads_.calibration(owner, model);
  // A service that refuses what is longer may have told its window; who knows no window at all asks for it first.
  const bool is_unknown = !options_.budget && !model.empty() && !options_.manager.catalog().find(model).known;
  const bool has_to_ask = is_unknown || windows_.is_in_doubt(owner, model);
  budget.context_window_tokens =
      has_to_ask ? windows_.ask(owner, model, incoming_.headers, call_) : windows_.known(owner, model);
  // What is learned moves in steps of a tenth: of a given budget, as much may be missing.
  constexpr double step = 0.1;
  budget.calibration = options_.budget && calibration > 1.0 ? calibration + step : calibration;
  if (!options_.budget) return budget;
  budget.max_input_tokens = *options_.budget;
  if (const auto window = budget.context_window_tokens)
    budget.max_input_tokens = std::min(*budget.max_input_tokens, countable_of(*window, incoming_.glance.output_tokens));
  return budget;
}

ctxmgr::BuildRequest Asking::build_request() const {
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_environment();
  request.budget = budget();
  request.tools_budget = tools_budget_;
  request.planning.mode = ctxmgr::PlannerMode::deterministic;
  if (options_.summary_tokens_per_hour) {
    // What was summarised before is used; a request waits for no model.
    request.planning.mode = ctxmgr::PlannerMode::automatic;
    request.planning.max_llm_calls = 0;
    if (!options_.summarizer.empty()) request.models.summarizer = options_.summarizer;
  }
  request.tool_rules = options_.tool_rules;
  request.tells_room = options_.tells_room;
  request.history.oversized = ctxmgr::Oversized::fail;  // Nobody asked the proxy to shorten a question.
  threads_.prepare(incoming_.thread, request);
  return request;
}

Result<ctxmgr::BuiltWire> Asking::build(const std::string& body, const ctxmgr::BuildRequest& options) {
  ctxmgr::AttachmentSource attachments{options_.store, kept_name(attachments_name_space, incoming_.owner)};
  auto built = ctxmgr::build_wire(options_.manager, incoming_.api, body, {options, std::move(attachments)}, call_);
  if (!built) {
    auto error = built.error();
    error.message = in_options(std::move(error.message));
    return tl::unexpected(std::move(error));
  }
  step_.receipt = built->metadata;
  thread_state_ = built->thread_state;
  return built;
}

/// Keeps the request where a compaction may be near. `prepare_compaction()` counts exactly, and begins at 0.8 of the room.
void Asking::keep_if_nearly_full(const std::string& body, const ctxmgr::BuildRequest& options) {
  constexpr double nearly = 0.75;
  const auto& receipt = step_.receipt;
  nearly_full_.reset();
  if (!options_.summary_tokens_per_hour ||
      static_cast<double>(receipt.input_tokens_used) < nearly * static_cast<double>(receipt.messages_limit))
    return;
  nearly_full_.emplace(NearlyFull{incoming_.api,
                                  step_.id,
                                  incoming_.thread,
                                  body,
                                  options,
                                  {options_.store, kept_name(attachments_name_space, incoming_.owner)}});
  nearly_full_->request.thread_state = thread_state_;
}

std::optional<NearlyFull> Asking::take_nearly_full() { return std::exchange(nearly_full_, std::nullopt); }

/// Where nobody said what tools may take, they give way to the conversation: half of their room at a time, until an eighth of
/// the budget is left beside what has to be sent.
Result<Asking::Answer> Asking::send(const std::string& body, ctxmgr::BuildRequest options) {
  constexpr std::int64_t share = 8;
  constexpr std::int64_t least_share = 16;
  while (true) {
    auto built = build(body, options);
    const auto& receipt = step_.receipt;
    const bool is_tight =
        built ? options_.budget && receipt.messages_limit - receipt.fixed_tokens < *options_.budget / share
              : built.error().code == ctxmgr::ErrorCode::budget_exceeded;
    const bool gives_way = !options_.tools_budget && options.tools_budget && options_.budget &&
                           *options.tools_budget > *options_.budget / least_share;
    if (is_tight && gives_way) {
      options.tools_budget = *options.tools_budget / 2;
      continue;
    }
    if (!built) return tl::unexpected(built.error());
    keep_if_nearly_full(body, options);
    return options_.relay("POST", incoming_.target, std::move(built->body), incoming_.headers, call_);
  }
}

Result<Asking::Answer> Asking::ask(const std::string& body, const std::shared_ptr<ctxmgr::ContextStore>& archive) {
  auto request = build_request();
  request.archive = archive;
  auto answer = send(body, request);
  if (!answer || (*answer)->status() < 400) return answer;
  auto refused = WholeAnswer::read(std::move(*answer), most_error_bytes, call_);
  if (!refused) return tl::unexpected(refused.error());
  if (!ctxmgr::is_context_length_refusal((*refused)->status(), (*refused)->body())) return std::move(*refused);
  const auto receipt = step_.receipt;
  const auto state = thread_state_;
  const auto sent = receipt.input_tokens_used + receipt.tools_tokens;
  const auto window = window_after((*refused)->body());
  // Where the answer alone was asked to be longer than the window, less input does not help.
  if (window && sent < *window / 2) return std::move(*refused);
  request.budget = ctxmgr::after_refusal(request.budget, sent);
  if (window) {
    const auto countable = countable_of(*window, incoming_.glance.output_tokens);
    request.budget.max_input_tokens = std::min(*request.budget.max_input_tokens, countable);
  }
  if (auto again = send(body, request)) return again;
  step_.receipt = receipt;  // Nothing more can be taken out: what the service said stands.
  thread_state_ = state;
  return std::move(*refused);
}

/// A refusal teaches the window that it names, and nothing else. Where it names none, the service is asked.
std::optional<std::int64_t> Asking::window_after(const std::string& refusal) {
  const auto& model = incoming_.glance.model;
  const auto said = window_in_refusal(refusal);
  if (!said) return windows_.ask(incoming_.owner, model, incoming_.headers, call_);
  windows_.tell(incoming_.owner, model, *said);
  return said;
}

Result<Asking::Answer> Asking::ask_with_tools(const std::string& body, const std::string& with_tools,
                                              const OwnTools& tools,
                                              const std::shared_ptr<ctxmgr::ContextStore>& session) {
  std::vector<Round> rounds;
  const auto kept = threads_.readings(incoming_.thread);
  std::string grown = with_readings(incoming_.api, with_tools, kept);
  while (rounds.size() < most_rounds) {
    auto answer = ask(grown, session);
    if (!answer && !rounds.empty()) break;
    if (!answer || (*answer)->status() != 200) return answer;
    if (rounds.empty()) threads_.remember(incoming_.thread, thread_state_);
    auto whole = WholeAnswer::read(std::move(*answer), most_answer_bytes, call_);
    if (!whole) return tl::unexpected(whole.error());
    auto next =
        (*whole)->has_ended() ? answer_calls(incoming_.api, grown, (*whole)->body(), tools, call_) : std::nullopt;
    if (!next && !rounds.empty()) {
      threads_.keep_readings(incoming_.thread, with_reading(incoming_.api, body, rounds, kept));
      threads_.remember(incoming_.thread, thread_state_);  // A compaction for which the model asked happens once.
    }
    if (!next) return std::move(*whole);
    step_.usage = step_.usage + usage_of(**whole);
    grown = next->request;
    rounds.push_back(std::move(*next));
  }
  return ask(body, nullptr);  // The agent gets an answer, as it would without the tools.
}

std::shared_ptr<ctxmgr::ContextStore> Asking::own_session() const {
  return incoming_.is_named ? threads_.session(incoming_.thread) : passing_session();
}

/// Definitions that take more than half of the budget leave no room for a conversation.
std::optional<std::int64_t> Asking::tools_budget(const std::string& body) {
  if (incoming_.glance.tools.empty() || (!options_.tools_budget && !options_.budget)) return std::nullopt;
  auto tools = tools_of(incoming_.api, body);
  std::size_t bytes = 0;
  for (const auto& tool : tools) bytes += tool.name.size() + tool.description.size() + tool.parameters_json.size();
  constexpr std::int64_t bytes_of_a_token = 4;
  const auto tokens = static_cast<std::int64_t>(bytes) / bytes_of_a_token;
  if (!options_.tools_budget && tokens <= *options_.budget / 2) return std::nullopt;
  if (tools.empty()) return std::nullopt;
  if (can_answer_calls(body)) searched_ = std::move(tools);
  return options_.tools_budget ? *options_.tools_budget : *options_.budget / 2;
}

Result<Asking::Answer> Asking::run(const std::string& request) {
  const auto half = options_.budget ? std::optional(*options_.budget / 2) : std::nullopt;
  const auto most_tools = options_.tools_budget ? options_.tools_budget : half;
  const auto deferred = most_tools ? defer_tools(incoming_.api, request, *most_tools) : std::nullopt;
  const auto& body = deferred ? *deferred : request;
  if (!deferred && !has_deferred_tools(request)) tools_budget_ = tools_budget(body);
  OwnTools tools{{}, &step_.receipt, incoming_.is_named};
  tools.set.searched = searched_;
  const auto session = options_.answers_context_tools ? own_session() : nullptr;
  if (session != nullptr) {
    tools.set.context = tools_over(session, options_.budget);
    tools.set.has_room_tools = options_.tells_room;
  }
  if (!incoming_.memory_user.empty())
    tools.set.memory =
        ctxmgr::MemoryOptions{incoming_.memory_user, options_.memory_store ? options_.memory_store : options_.store};
  if (const auto own = tools.set.definitions(); !own.empty()) {
    const auto with_tools = add_tools(incoming_.api, body, own);
    if (with_tools) return ask_with_tools(body, *with_tools, tools, session);
    tools.set = {};
    tools.set.searched = searched_;
  }
  const auto archive = incoming_.glance.reads_back ? threads_.session(incoming_.thread) : nullptr;
  if (!tools.set.searched.empty()) return ask_with_tools(body, body, tools, archive);
  auto answer = ask(body, archive);
  if (answer) threads_.remember(incoming_.thread, thread_state_);
  return answer;
}

}  // namespace ctxpack::serve
