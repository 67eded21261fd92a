#include "serve/shadow.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/wire.hpp"
#include "view/writer.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::BuiltContext;
using ctxmgr::ConversationMessage;
using ctxmgr::Result;

constexpr std::size_t most_text_bytes = std::size_t{64} << 20;
constexpr std::int64_t requests_of_a_verdict = 50;

std::string fixed(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string share_of(const Recall& recall) { return view::percent(recall.found, static_cast<double>(recall.asked)); }

}  // namespace

/// One conversation.
struct Shadow::Followed {
  struct Step {
    std::size_t at = 0;  ///< The message that answered it, by its place in the run.
    std::vector<std::size_t> request{};
    bool has_failed = false;
  };

  std::string thread{};
  std::string model{};
  RecordedRun run{};  ///< As its newest request has it.
  std::vector<std::string> keys{};
  ctxmgr::ThreadState state{};
  std::vector<Step> steps{};
  std::vector<ConversationMessage> sent{};  ///< What would have gone, each message once.
  std::unordered_map<std::string, std::size_t> numbers{};
  std::size_t run_bytes = 0;
  std::size_t sent_bytes = 0;

  [[nodiscard]] std::size_t bytes() const { return run_bytes + sent_bytes; }

  std::size_t number_of(const ConversationMessage& message) {
    auto key = ctxmgr::to_openai_json({message});
    const auto size = key.size();
    const auto [found, is_new] = numbers.emplace(std::move(key), sent.size());
    if (is_new) {
      sent.push_back(message);
      sent_bytes += 2 * size;
    }
    return found->second;
  }

  /// The last message may change: agents put reminders into it.
  [[nodiscard]] bool goes_on_with(const std::vector<std::string>& other) const {
    if (keys.empty() || other.size() < keys.size()) return false;
    return std::equal(keys.begin(), keys.end() - 1, other.begin());
  }
};

namespace {

/// Whether the request has all names that the step after it uses.
bool has_all_names(MessagePool& pool, const std::vector<const Wanted*>& wants,
                   const std::vector<std::size_t>& request) {
  return std::all_of(wants.begin(), wants.end(), [&](const Wanted* wanted) {
    return wanted->measure != Measure::literals || pool.found(*wanted, request) >= 1;
  });
}

/// Where the run has the result of the same call before; npos where it has none.
std::size_t earlier_result(const RecordedRun& run, std::size_t step, const ctxmgr::ToolCall& call) {
  const auto is_same = [&call](const ctxmgr::ToolCall& other) {
    return other.name == call.name && other.arguments_json == call.arguments_json;
  };
  std::string id;
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < step; ++i) {
    const auto& message = run.messages[i];
    const auto same = std::find_if(message.tool_calls.begin(), message.tool_calls.end(), is_same);
    if (same != message.tool_calls.end()) id = same->id;
    if (!id.empty() && message.role == ctxmgr::Role::tool && message.tool_call_id == id) found = i;
  }
  return found;
}

std::int64_t results_read_again(const RecordedRun& run, MessagePool& pool, std::size_t step,
                                const std::vector<std::size_t>& request) {
  std::int64_t count = 0;
  for (const auto& call : run.messages[step].tool_calls) {
    const auto at = earlier_result(run, step, call);
    if (at == std::string::npos) continue;
    count += std::find(request.begin(), request.end(), pool.run()[at]) == request.end() ? 1 : 0;
  }
  return count;
}

}  // namespace

Shadow::Shadow(ShadowOptions options)
    : options_(std::move(options)), estimate_(ctxmgr::make_approximate_token_counter()) {}

Shadow::~Shadow() = default;

Result<ctxmgr::ContextUtilizationMetadata> Shadow::follow(Api api, const std::string& body, const std::string& thread,
                                                          ctxmgr::BuildRequest request,
                                                          const ctxmgr::CallOptions& call) {
  request.budget.max_input_tokens = options_.budget;
  request.planning.mode = ctxmgr::PlannerMode::deterministic;
  request.scope = thread;
  request.thread_state = state_of(thread);
  auto in = ctxmgr::read_wire(api, body, {std::move(request)}, call);
  if (!in) return tl::unexpected(in.error());
  const auto built = options_.manager.build(in->context, in->request, call);
  const bool is_due = record(thread, std::move(*in), built);
  if (is_due && options_.on_verdict) options_.on_verdict(verdict());
  if (!built) return tl::unexpected(built.error());
  return built->metadata;
}

ctxmgr::ThreadState Shadow::state_of(const std::string& thread) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(followed_.begin(), followed_.end(), [&](const auto& other) { return other->thread == thread; });
  return found == followed_.end() ? ctxmgr::ThreadState() : (*found)->state;
}

/// The conversation that goes on with these messages; a new one where its beginning has changed.
Shadow::Followed& Shadow::followed(const std::string& thread, const std::vector<std::string>& keys) {
  const auto found =
      std::find_if(followed_.begin(), followed_.end(), [&](const auto& other) { return other->thread == thread; });
  std::unique_ptr<Followed> conversation;
  if (found != followed_.end()) {
    conversation = std::move(*found);
    followed_.erase(found);
    if (!conversation->goes_on_with(keys)) {
      add(ended_, *conversation);
      auto state = std::move(conversation->state);
      conversation = std::make_unique<Followed>();
      conversation->state = std::move(state);
    }
  } else {
    conversation = std::make_unique<Followed>();
  }
  conversation->thread = thread;
  followed_.push_back(std::move(conversation));
  return *followed_.back();
}

bool Shadow::record(const std::string& thread, ctxmgr::WireRequest in, const Result<BuiltContext>& built) {
  std::vector<std::string> keys;
  std::size_t bytes = 0;
  for (const auto& message : in.context.conversation_history) {
    keys.push_back(ctxmgr::content_hash(ctxmgr::make_document({}, ctxmgr::to_openai_json({message}))));
    bytes += ctxmgr::text_of(message).size();
  }
  const std::lock_guard lock(mutex_);
  auto& conversation = followed(thread, keys);
  conversation.keys = std::move(keys);
  conversation.model = in.request.models.primary;
  conversation.run.messages = std::move(in.context.conversation_history);
  conversation.run.tools = std::move(in.request.tools);
  Followed::Step step;
  step.at = conversation.run.messages.size();
  step.has_failed = !built;
  if (built) {
    for (const auto& message : built->messages) step.request.push_back(conversation.number_of(message));
    conversation.state = built->thread_state;
  }
  conversation.sent_bytes += step.request.size() * sizeof(std::size_t);
  conversation.steps.push_back(std::move(step));
  conversation.run_bytes = bytes;
  make_room();
  return ++ended_.requests % requests_of_a_verdict == 0;
}

void Shadow::make_room() {
  std::size_t bytes = 0;
  for (const auto& conversation : followed_) bytes += conversation->bytes();
  while (bytes > most_text_bytes && followed_.size() > 1) {
    bytes -= followed_.front()->bytes();
    add(ended_, *followed_.front());
    followed_.pop_front();
  }
}

const ctxmgr::TokenCounter& Shadow::counter_of(const ctxmgr::ModelInfo& model) const {
  const auto found = std::find_if(options_.counters.begin(), options_.counters.end(),
                                  [&](const auto& counter) { return counter->info().tokenizer == model.tokenizer; });
  return found == options_.counters.end() ? *estimate_ : **found;
}

void Shadow::add(Forecast& sum, const Followed& followed) const {
  const auto& run = followed.run;
  const auto model = options_.manager.catalog().find(followed.model);
  const auto& counter = counter_of(model);
  Scale scale{model, options_.budget, counter.count_tools(run.tools), wanted_of(run, options_.budget)};
  scale.wants.by_step.resize(run.messages.size() + 1);  // The newest request has no answer yet.
  MessagePool pool(run, counter);
  std::vector<std::size_t> numbers;
  for (const auto& message : followed.sent) numbers.push_back(pool.add(message));
  Account everything(pool, scale);
  Account fitted(pool, scale);
  ++sum.conversations;
  for (const auto& step : followed.steps) {
    if (step.at > run.messages.size()) continue;
    everything.sent(step.at, {pool.run().begin(), pool.run().begin() + static_cast<std::ptrdiff_t>(step.at)});
    if (step.has_failed) {
      fitted.failed();
      continue;
    }
    std::vector<std::size_t> request;
    for (const auto number : step.request) request.push_back(numbers[number]);
    fitted.sent(step.at, request);
    if (step.at == run.messages.size()) continue;
    ++sum.answered;
    sum.lacking += has_all_names(pool, scale.wants.by_step[step.at], request) ? 0 : 1;
    sum.read_again += results_read_again(run, pool, step.at, request);
  }
  sum.everything += everything.figures();
  sum.fitted += fitted.figures();
}

Forecast Shadow::forecast() const {
  const std::lock_guard lock(mutex_);
  if (newest_.requests == ended_.requests) return newest_;
  auto sum = ended_;
  for (const auto& conversation : followed_) add(sum, *conversation);
  newest_ = sum;
  return sum;
}

std::string words_of(const Forecast& forecast, std::int64_t budget) {
  const auto& fitted = forecast.fitted;
  const auto& everything = forecast.everything;
  if (everything.tokens <= 0) return "No request has come that could be built.";
  auto text = "After " + view::grouped(forecast.requests) + " requests in " + view::grouped(forecast.conversations) +
              (forecast.conversations == 1 ? " conversation" : " conversations") + ": at " + view::grouped(budget) +
              " tokens you would have ";
  const bool is_priced = everything.usd > 0;
  text += is_priced ? "paid " + fixed(fitted.usd / everything.usd, 2) + " of what everything costs. "
                    : "sent " + fixed(static_cast<double>(fitted.tokens) / static_cast<double>(everything.tokens), 2) +
                          " of the tokens (the model's price is not known). ";
  text += view::grouped(forecast.lacking) + " of " + view::grouped(forecast.answered) +
          " steps would have lacked something they used.";
  const auto names = fitted.recall(Measure::literals);
  const auto words = fitted.recall(Measure::words);
  if (names.asked > 0)
    text += " Still there: " + share_of(names) + " of the names that steps used" +
            (words.asked > 0 ? ", " + share_of(words) + " of the plain words" : "") + ".";
  if (forecast.read_again > 0)
    text += " Results that would have been left out, and that the agent fetched again: " +
            view::grouped(forecast.read_again) + ".";
  if (fitted.failed > 0) text += " Requests that would not have fitted: " + view::grouped(fitted.failed) + ".";
  return text;
}

}  // namespace ctxpack::serve
