#include "serve/asking.hpp"

#include <algorithm>
#include <utility>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "serve/headers.hpp"
#include "serve/own_tools.hpp"
#include "serve/usage_reader.hpp"
#include "serve/whole_answer.hpp"
#include "stores.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::Result;

constexpr std::size_t most_error_bytes = std::size_t{64} << 10;
constexpr std::size_t most_answer_bytes = std::size_t{8} << 20;
constexpr int most_rounds = 8;

/// A page that is read has to find room beside what is there already, or it would be a handle again.
ctxmgr::ContextTools tools_over(const std::shared_ptr<ctxmgr::ContextStore>& session,
                                std::optional<std::int64_t> budget) {
  constexpr std::int64_t least = 200;
  constexpr std::int64_t share = 8;
  ctxmgr::ContextToolsOptions options;
  if (budget) options.max_result_tokens = std::clamp(*budget / share, least, options.max_result_tokens);
  return ctxmgr::ContextTools(session, options);
}

ctxmgr::UsageMetadata usage_of(const WholeAnswer& answer) {
  UsageReader reader(value_of(answer.headers(), "content-type"));
  reader.read(answer.body());
  reader.end();
  return reader.usage();
}

}  // namespace

Asking::Asking(const ProxyOptions& options, const Threads& threads, Incoming incoming, ctxmgr::CallOptions call,
               view::Step& step)
    : options_(options), threads_(threads), incoming_(std::move(incoming)), call_(std::move(call)), step_(step) {}

ctxmgr::BuildRequest Asking::build_request() const {
  ctxmgr::BuildRequest request;
  request.models = ctxmgr::ModelConfig::from_environment();
  request.budget.max_input_tokens = options_.budget;
  if (!options_.budget) request.budget.calibration = threads_.calibration(incoming_.glance.model);
  request.planning.mode = ctxmgr::PlannerMode::deterministic;
  request.history.broken = ctxmgr::BrokenHistory::mend;  // An agent that was interrupted goes on.
  threads_.prepare(incoming_.glance.thread, request);
  return request;
}

Result<Asking::Answer> Asking::send(const std::string& body, const ctxmgr::BuildRequest& options) {
  const ctxmgr::AttachmentSource attachments{options_.store, attachments_name_space};
  const auto built = incoming_.api == Api::anthropic
                         ? ctxmgr::build_anthropic(options_.manager, body, options, attachments, call_)
                         : ctxmgr::build_openai(options_.manager, body, options, attachments, call_);
  if (!built) return tl::unexpected(built.error());
  if (auto receipt = ctxmgr::from_json<ctxmgr::ContextUtilizationMetadata>(built->metadata))
    step_.receipt = std::move(*receipt);
  thread_state_ = built->thread_state;
  return options_.relay(incoming_.target, built->body, incoming_.headers, call_);
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
  request.budget = ctxmgr::after_refusal(request.budget, sent);
  if (!options_.budget) threads_.learn(incoming_.glance.model, sent * 4, sent * 5);
  if (auto again = send(body, request)) return again;
  step_.receipt = receipt;  // Nothing more can be taken out: what the service said stands.
  thread_state_ = state;
  return std::move(*refused);
}

Result<Asking::Answer> Asking::ask_with_tools(const std::string& body, const std::string& with_tools,
                                              const std::shared_ptr<ctxmgr::ContextStore>& session) {
  const auto tools = tools_over(session, options_.budget);
  std::string grown = with_tools;
  for (int round = 0; round < most_rounds; ++round) {
    auto answer = ask(grown, session);
    if (!answer && round > 0) break;
    if (!answer || (*answer)->status() != 200) return answer;
    if (round == 0) threads_.remember(incoming_.glance.thread, thread_state_);
    auto whole = WholeAnswer::read(std::move(*answer), most_answer_bytes, call_);
    if (!whole) return tl::unexpected(whole.error());
    auto next =
        (*whole)->has_ended() ? answer_calls(incoming_.api, grown, (*whole)->body(), tools, call_) : std::nullopt;
    if (!next) return std::move(*whole);
    step_.usage = step_.usage + usage_of(**whole);
    grown = std::move(*next);
  }
  return ask(body, nullptr);  // The agent gets an answer, as it would without the tools.
}

Result<Asking::Answer> Asking::run(const std::string& body) {
  if (options_.answers_context_tools) {
    if (const auto session = threads_.session(incoming_.glance.thread)) {
      const auto with_tools = add_tools(incoming_.api, body, ctxmgr::ContextTools(session).definitions());
      if (with_tools) return ask_with_tools(body, *with_tools, session);
    }
  }
  auto answer = ask(body, incoming_.glance.reads_back ? threads_.session(incoming_.glance.thread) : nullptr);
  if (answer) threads_.remember(incoming_.glance.thread, thread_state_);
  return answer;
}

}  // namespace ctxpack::serve
