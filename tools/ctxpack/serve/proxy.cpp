#include "serve/proxy.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "serve/answering.hpp"
#include "serve/asking.hpp"
#include "serve/bounded_json.hpp"
#include "serve/headers.hpp"
#include "serve/metrics.hpp"
#include "serve/owner.hpp"
#include "serve/routes.hpp"
#include "stores.hpp"
#include "view/conversations.hpp"
#include "view/html.hpp"
#include "view/pricing.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::Error;
using ctxmgr::ErrorCode;
using ctxmgr::Result;
using http::Reply;
using http::Request;
using http::RequestHead;
using std::chrono::steady_clock;

constexpr const char* json_type = "application/json";
constexpr std::size_t ledger_bytes = std::size_t{16} << 20;
constexpr std::size_t most_steps_shown = 400;
constexpr int service_unavailable = 503;

Api api_of(const RequestHead& head) { return serve::api_of(head.path, !head.header("anthropic-version").empty()); }

std::string random_id(const char* prefix, std::size_t digits) { return prefix + random_digits().substr(0, digits); }

Reply reply_of(std::string body, const char* type) {
  Reply reply;
  reply.headers = {{"content-type", type}};
  reply.body = std::move(body);
  return reply;
}

Reply error_reply(const RequestHead& head, const Error& error) {
  auto reply = reply_of(error_body(api_of(head), error), json_type);
  reply.status = status_of(error);
  return reply;
}

/// What the server says where it cannot take a request.
Reply failure(const RequestHead& head, int status, const std::string& why) {
  constexpr int too_large = 413;
  auto reply =
      error_reply(head, {status == too_large ? ErrorCode::limit_exceeded : ErrorCode::invalid_argument, why, {}});
  reply.status = status;
  if (status == service_unavailable) reply.headers.emplace_back("retry-after", "1");
  return reply;
}

Result<ReceiptForm> receipt_form_of(const RequestHead& head) {
  const auto asked = head.header("x-ctxmgr-receipt");
  if (asked.empty()) return ReceiptForm::reference;
  if (asked == "field") return ReceiptForm::field;
  if (asked == "header") return ReceiptForm::header;
  return ctxmgr::fail(
      ErrorCode::invalid_argument,
      "x-ctxmgr-receipt: expected \"header\" or \"field\"; without it the answer names the receipt's id");
}

/// The figures of a receipt, short enough for a header.
std::string figures_of(ctxmgr::ContextUtilizationMetadata receipt) {
  receipt.artifacts_processed.clear();
  receipt.tools_left_out.clear();
  receipt.plan_repairs.clear();
  receipt.notes.clear();
  receipt.note_codes.clear();
  receipt.plan_reason.clear();
  return ctxmgr::to_json(receipt);
}

using Steps = std::vector<std::shared_ptr<const view::Step>>;

/// Of several owners each sees its own; of one, whoever may open the page.
Steps steps_for(const RequestHead& head, Steps steps) {
  const auto owner = head.parameter("owner");
  const auto thread = head.parameter("thread");
  const auto is_other = [&](const std::shared_ptr<const view::Step>& step) {
    if (!owner.empty() && step->owner != owner) return true;
    return !thread.empty() && step->thread != thread && view::short_name(step->thread) != thread;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), is_other), steps.end());
  return steps;
}

/// What a browser shows a person, who has a password for it. Nothing of the service is reached by these.
bool is_for_browsers(Route route) {
  return route == Route::page || route == Route::script || route == Route::metrics || route == Route::readiness;
}

/// A head that is too large is the service's fault, not the request's.
ctxmgr::HttpRelay blaming_the_service(ctxmgr::HttpRelay relay) {
  return [relay = std::move(relay)](const std::string& method, const std::string& path, std::string body,
                                    const ctxmgr::HttpHeaders& headers, const ctxmgr::CallOptions& call) {
    auto answer = relay(method, path, std::move(body), headers, call);
    if (!answer && answer.error().code == ErrorCode::limit_exceeded) answer.error().code = ErrorCode::unavailable;
    return answer;
  };
}

ProxyOptions ready(ProxyOptions options) {
  options.relay = blaming_the_service(std::move(options.relay));
  return options;
}

bool has_several_owners(const Steps& steps) {
  std::set<std::string> owners;
  for (const auto& step : steps) owners.insert(step->owner);
  return owners.size() > 1;
}

}  // namespace

Proxy::Proxy(ProxyOptions options)
    : options_(ready(std::move(options))),
      access_(options_.token),
      threads_(options_.store),
      windows_(options_.relay),
      ledger_(ledger_bytes),
      preparing_(
          options_.summary_tokens_per_hour
              ? std::make_unique<Preparing>(options_.manager, *options_.summary_tokens_per_hour,
                                            [this](const auto& id, const auto& made) { ledger_.summarized(id, made); })
              : nullptr) {}

void Proxy::stop() {
  stopping_ = true;
  if (preparing_) preparing_->stop();
}

http::Handler Proxy::handler() {
  http::Handler handler;
  handler.refuse = [this](const RequestHead& head) {
    auto refused = refuse(head);
    if (refused) log_refusal(head, refused->status);
    return refused;
  };
  handler.answer = [this](const Request& request) {
    try {
      return answer(request);
    } catch (const std::exception&) {
      return error_reply(request.head, {ErrorCode::internal, "the request could not be handled", {}});
    }
  };
  handler.fail = &failure;
  return handler;
}

ctxmgr::CallOptions Proxy::call(const Request& request) const {
  return {
      ctxmgr::CancellationToken([this, gone = request.is_abandoned] { return stopping_.load() || (gone && gone()); }),
      {}};
}

/// A call that the proxy ended itself has a client that waits for its answer.
Reply Proxy::refusal(const RequestHead& head, const Error& error) const {
  if (error.code == ErrorCode::cancelled && stopping_) return failure(head, service_unavailable, "the proxy stops");
  return error_reply(head, error);
}

/// What goes to the service. Who a user is stays with the front, and what admits a caller stays here.
ctxmgr::HttpHeaders Proxy::headers_of(const RequestHead& head) const {
  auto headers = to_send_on(head.headers);
  const auto stays = [this](const auto& header) {
    return header.first == options_.memory_header || access_.is_token(header.second);
  };
  headers.erase(std::remove_if(headers.begin(), headers.end(), stays), headers.end());
  return headers;
}

/// Whom a front that has the token names; empty where there is none to believe.
std::string Proxy::user_of(const RequestHead& head) const {
  return has_several_users() ? std::string(head.header(options_.memory_header)) : std::string();
}

std::string Proxy::owner_of(const RequestHead& head) const {
  return serve::owner_of(headers_of(head), user_of(head), threads_.secret());
}

std::optional<Reply> Proxy::refuse(const RequestHead& head) const {
  const auto route = route_of(head.method, head.path, options_.only_known);
  if (route == Route::health) return std::nullopt;  // Says nothing but that the process is there.
  const bool is_page = is_for_browsers(route);
  const Access::Caller caller{std::string(head.header("host")), std::string(head.header("origin")),
                              std::string(head.header("x-ctxmgr-token")),
                              is_page ? std::string(head.header("authorization")) : std::string(),
                              is_page ? std::string() : std::string(head.header("sec-fetch-site"))};
  if (!access_.admits(caller)) {
    auto reply = refusal(
        head, {ErrorCode::denied,
               access_.has_token() ? "the header x-ctxmgr-token is missing or wrong"
                                   : "only programs of this machine may ask: CTXPACK_SERVE_TOKEN lets others in",
               {}});
    constexpr int unauthorized = 401;
    if (access_.has_token() && is_page) {
      reply.status = unauthorized;
      reply.headers.emplace_back("www-authenticate", "Basic realm=\"ctxpack\"");
    }
    return reply;
  }
  if (is_draining_ && route != Route::readiness && route != Route::metrics) {
    auto reply = failure(head, service_unavailable, "the proxy is about to stop");
    reply.headers.emplace_back("connection", "close");
    return reply;
  }
  if (route == Route::none) return refusal(head, {ErrorCode::not_found, "there is no such endpoint", {}});
  const auto names_user = [this](const auto& header) { return header.first == options_.memory_header; };
  if (has_several_users() && std::count_if(head.headers.begin(), head.headers.end(), names_user) > 1)
    return refusal(head, {ErrorCode::invalid_argument, "two headers " + options_.memory_header + " name a user", {}});
  return std::nullopt;
}

Reply Proxy::answer(const Request& request) {
  const auto& head = request.head;
  switch (route_of(head.method, head.path, options_.only_known)) {
    case Route::page: return page(head);
    case Route::script: return reply_of(std::string(view::live_script()), "text/javascript; charset=utf-8");
    case Route::metrics:
      return reply_of(prometheus_text(ledger_.totals(), preparing_ ? preparing_->totals() : PreparingTotals{}),
                      "text/plain; version=0.0.4; charset=utf-8");
    case Route::health: return reply_of("ok\n", "text/plain; charset=utf-8");
    case Route::readiness: return readiness(request);
    case Route::receipt: return receipt(head);
    case Route::attachment: return store_attachment(request);
    case Route::chat: return fit_and_forward(Api::openai, request);
    case Route::messages: return fit_and_forward(Api::anthropic, request);
    case Route::responses: return fit_and_forward(Api::responses, request);
    case Route::forward: return forward(request);
    case Route::none: break;
  }
  return refusal(head, {ErrorCode::not_found, "there is no such endpoint", {}});
}

void Proxy::log(const RequestHead& head, const view::Step& step) const {
  if (!options_.log_line) return;
  nlohmann::ordered_json line = {
      {"time", std::chrono::duration_cast<std::chrono::milliseconds>(step.time.time_since_epoch()).count()},
      {"method", head.method},
      {"path", head.path},
      {"status", step.status},
      {"ms", step.took.count()}};
  if (const auto id = head.header("x-request-id"); !id.empty()) line["request_id"] = std::string(id);
  if (!step.id.empty()) {
    line["receipt"] = step.id;
    line["thread"] = step.thread;
    line["model"] = step.receipt.model_name;
    line["input_tokens"] = step.receipt.input_tokens_used + step.receipt.tools_tokens;
    line["everything_tokens"] = step.receipt.include_all_tokens;
    line["output_tokens"] = step.usage.completion_tokens;
    line["cached_tokens"] = step.usage.cached_prompt_tokens;
  }
  if (!step.error.empty()) line["error"] = step.error;
  options_.log_line(text_of(line) + "\n");
}

/// What nobody fits or sends on: a token that is wrong, a path that is none, a proxy that is about to stop.
void Proxy::log_refusal(const RequestHead& head, int status) const {
  view::Step step;
  step.time = std::chrono::system_clock::now();
  step.status = status;
  log(head, step);
}

/// Of one call only: several are one agent's request with the proxy's own tools.
void Proxy::learn(const std::string& model, view::Step& step) {
  if (step.usage.calls != 1) return;
  const auto counted = step.receipt.input_tokens_used + step.receipt.tools_tokens;
  threads_.learn(step.owner, model, counted, step.usage.prompt_tokens);
  if (!is_cut(counted, step.usage.prompt_tokens)) return;
  windows_.doubt(step.owner, model);
  step.receipt.notes.push_back("The service reports " + std::to_string(step.usage.prompt_tokens) +
                               " input tokens where " + std::to_string(counted) +
                               " were sent: it may have cut the request. Nothing is learned from this count.");
  step.receipt.note_codes.resize(step.receipt.notes.size(), ctxmgr::NoteCode::other);
}

void Proxy::finish(Api api, view::Step step) {
  view::price(step, ledger_.newest_of(step.thread).get(), options_.manager.catalog());
  threads_.keep_receipt(kept_name(step.id, step.owner), response_metadata(step, options_.manager.catalog()));
  ledger_.ended(api, std::move(step));
}

Reply Proxy::fit(Api api, const Request& request, view::Step& step) {
  const auto began = steady_clock::now();
  const auto& head = request.head;
  auto glance = glance_at(request.body, step.owner);
  const auto end = [this, api, head, model = glance.model, is_whole = glance.carries_all_input](view::Step ended) {
    log(head, ended);
    if (is_whole) learn(model, ended);
    finish(api, std::move(ended));
  };
  const auto finish_with = [&](const Error& error) {
    auto reply = refusal(head, error);
    auto ended = step;
    ended.status = reply.status;
    ended.error = error.message;
    end(std::move(ended));
    return reply;
  };
  const auto form = receipt_form_of(head);
  if (!form) return finish_with(form.error());
  const std::string named(head.header("x-ctxmgr-thread"));
  if (!named.empty() && !is_valid_thread(named))
    return finish_with(
        {ErrorCode::invalid_argument, "x-ctxmgr-thread: expected 1 to 100 printable ASCII characters, no blanks", {}});
  step.thread = named.empty() ? glance.thread : kept_name(named, step.owner);
  step.first_words = glance.first_words;
  Incoming incoming{api,
                    head.target,
                    step.thread,
                    step.owner,
                    !named.empty(),
                    headers_of(head),
                    std::move(glance),
                    memory_user(head, step.owner)};
  const auto how = call(request);
  Asking asking(options_, threads_, windows_, std::move(incoming), how, step);
  auto answer = asking.run(request.body);
  if (!answer) return finish_with(answer.error());
  step.took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began);
  const auto full = std::make_shared<std::optional<NearlyFull>>(asking.take_nearly_full());
  const auto end_and_prepare = [this, end, full](view::Step ended) {
    const bool was_answered = ended.status == 200 && ended.error.empty();
    end(std::move(ended));
    if (was_answered && *full) preparing_->add(*std::exchange(*full, std::nullopt));
  };
  auto reply = Answering::start(std::make_shared<Answering>(std::move(*answer), how, step, end_and_prepare), *form);
  if (*form == ReceiptForm::header) reply.headers.emplace_back("x-ctxmgr-receipt", figures_of(step.receipt));
  return reply;
}

/// The receipt is that of what would have gone. So are prices, whatever the service counts of what did go.
Reply Proxy::send_untouched(Api api, const Request& request, view::Step& step) {
  const auto& head = request.head;
  const std::string named(head.header("x-ctxmgr-thread"));
  auto glance = glance_at(request.body, step.owner);
  step.thread = is_valid_thread(named) ? kept_name(named, step.owner) : std::move(glance.thread);
  step.first_words = std::move(glance.first_words);
  const auto how = call(request);
  ctxmgr::BuildRequest options;
  options.models = ctxmgr::ModelConfig::from_environment();
  options.tool_rules = options_.tool_rules;
  try {
    auto receipt = options_.shadow->follow(api, request.body, step.thread, std::move(options), how);
    if (receipt) step.receipt = std::move(*receipt);
  } catch (const std::exception&) {
    step.receipt = {};  // What is only looked at does not cost the request.
  }
  const auto end = [this, api, head](view::Step ended) {
    log(head, ended);
    ended.usage = {};
    finish(api, std::move(ended));
  };
  auto answer = options_.relay(head.method, head.target, request.body, headers_of(head), how);
  if (answer)
    return Answering::start(std::make_shared<Answering>(std::move(*answer), how, step, end), ReceiptForm::reference);
  auto reply = refusal(head, answer.error());
  auto ended = step;
  ended.status = reply.status;
  ended.error = answer.error().message;
  end(std::move(ended));
  return reply;
}

std::string Proxy::memory_user(const RequestHead& head, const std::string& owner) const {
  if (options_.memory_header.empty()) return {};
  const auto named = user_of(head);
  constexpr std::size_t longest = 100;
  if (!named.empty() && named.size() <= longest) return "user " + named;
  return owner.empty() || !named.empty() ? std::string() : "owner " + owner;
}

Reply Proxy::fit_and_forward(Api api, const Request& request) {
  ledger_.began();
  view::Step step;
  step.time = std::chrono::system_clock::now();
  constexpr std::size_t digits = 24;
  step.id = random_id("r-", digits);
  step.owner = owner_of(request.head);
  auto reply = options_.shadow ? send_untouched(api, request, step) : fit(api, request, step);
  reply.headers.emplace_back("x-ctxmgr-thread", step.thread.substr(0, step.thread.find(' ')));
  reply.headers.emplace_back("x-ctxmgr-receipt-id", step.id);
  if (!step.owner.empty()) {
    reply.headers.emplace_back("x-ctxmgr-session", step.thread);
    reply.headers.emplace_back("x-ctxmgr-page", "/?owner=" + step.owner);
  }
  return reply;
}

Reply Proxy::forward(const Request& request) {
  const auto& head = request.head;
  view::Step step;
  step.time = std::chrono::system_clock::now();
  auto answer = options_.relay(head.method, head.target, request.body, headers_of(head), call(request));
  if (!answer) {
    auto reply = refusal(head, answer.error());
    step.status = reply.status;
    step.error = answer.error().message;
    log(head, step);
    return reply;
  }
  return Answering::start(std::make_shared<Answering>(std::move(*answer), call(request), std::move(step),
                                                      [this, head](const view::Step& ended) { log(head, ended); }),
                          ReceiptForm::reference);
}

Reply Proxy::store_attachment(const Request& request) {
  auto attachment = ctxmgr::from_json<ctxmgr::RequestAttachment>(request.body);
  if (!attachment) return refusal(request.head, attachment.error());
  constexpr std::size_t digits = 32;
  if (attachment->attachment_id.empty()) attachment->attachment_id = random_id("att-", digits);
  const ctxmgr::AttachmentSource source{options_.store, kept_name(attachments_name_space, owner_of(request.head))};
  if (auto stored = ctxmgr::store_attachment(source, *attachment); !stored)
    return refusal(request.head, stored.error());
  return reply_of(text_of({{"attachment_id", attachment->attachment_id},
                           {"title", attachment->title},
                           {"bytes", attachment->content.size()}}),
                  json_type);
}

Reply Proxy::receipt(const RequestHead& head) const {
  const auto id = head.path.substr(head.path.rfind('/') + 1);
  const auto found = is_valid_thread(id) ? threads_.receipt(kept_name(id, owner_of(head)))
                                         : ctxmgr::fail(ErrorCode::not_found, "there is no such receipt");
  return found ? reply_of(*found, json_type) : refusal(head, found.error());
}

Reply Proxy::readiness(const Request& request) const {
  std::string wrong;
  if (is_draining_) wrong = "about to stop\n";
  if (auto checked = threads_.check(); !checked) wrong += "store: " + checked.error().message + "\n";
  // Any answer will do: without a key it is a refusal, and the service is there.
  if (auto answer = options_.relay("GET", "/v1/models", {}, {}, call(request)); !answer)
    wrong += "service: " + answer.error().message + "\n";
  auto reply = reply_of(wrong.empty() ? "ready\n" : wrong, "text/plain; charset=utf-8");
  if (!wrong.empty()) reply.status = service_unavailable;
  return reply;
}

Reply Proxy::page(const RequestHead& head) const {
  view::Run run;
  run.title = "ctxpack serve";
  run.is_live = true;
  run.address =
      (head.header("x-forwarded-proto") == "https" ? "https://" : "http://") + std::string(head.header("host"));
  auto steps = ledger_.steps();
  run.is_shared = head.parameter("owner").empty() && (has_several_users() || has_several_owners(steps));
  if (run.is_shared) steps.clear();
  if (options_.shadow)
    run.notice = "Shadow: requests go on untouched, and this shows what would have gone. " + options_.shadow->verdict();
  steps = steps_for(head, std::move(steps));
  run.conversations = view::conversations_of(steps);
  if (!head.parameter("thread").empty()) {
    const auto shown = std::min(steps.size(), most_steps_shown);
    run.is_unknown = steps.empty();
    for (auto step = steps.end() - static_cast<std::ptrdiff_t>(shown); step != steps.end(); ++step)
      run.steps.push_back(**step);
  }
  const bool is_part = head.parameter("part") == "main";
  auto reply = reply_of(is_part ? view::main_part(run) : view::to_html(run), "text/html; charset=utf-8");
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Content-Security-Policy", view::content_security_policy());
  return reply;
}

}  // namespace ctxpack::serve
