#include "serve/proxy.hpp"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "serve/answering.hpp"
#include "serve/asking.hpp"
#include "serve/conversation.hpp"
#include "serve/headers.hpp"
#include "serve/metrics.hpp"
#include "stores.hpp"
#include "view/html.hpp"
#include "view/pricing.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::Error;
using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;
using std::chrono::steady_clock;

constexpr const char* json_type = "application/json";
constexpr std::size_t ledger_bytes = std::size_t{16} << 20;
constexpr std::size_t most_steps_shown = 400;

Api api_of(const httplib::Request& request) {
  return serve::api_of(request.path, request.has_header("anthropic-version"));
}

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

ReceiptForm receipt_form_of(const httplib::Request& request) {
  const auto asked = request.get_header_value("x-ctxmgr-receipt");
  if (asked == "field") return ReceiptForm::field;
  return asked == "header" ? ReceiptForm::header : ReceiptForm::reference;
}

/// The figures of a receipt, short enough for a header.
std::string figures_of(ctxmgr::ContextUtilizationMetadata receipt) {
  receipt.artifacts_processed.clear();
  receipt.tools_left_out.clear();
  receipt.plan_repairs.clear();
  receipt.notes.clear();
  receipt.plan_reason.clear();
  return ctxmgr::to_json(receipt);
}

}  // namespace

Proxy::Proxy(ProxyOptions options)
    : options_(std::move(options)),
      access_(options_.token),
      threads_(options_.store),
      attachments_{options_.store, attachments_name_space},
      ledger_(ledger_bytes),
      last_id_(random_number()) {}

std::string Proxy::next_id() {
  char text[24];
  std::snprintf(text, sizeof text, "r-%016llx", static_cast<unsigned long long>(++last_id_));
  return text;
}

ctxmgr::CallOptions Proxy::call() const {
  const Connection* const connection = Server::current();
  return {ctxmgr::CancellationToken(
              [this, connection] { return stopping_.load() || (connection != nullptr && connection->is_abandoned()); }),
          {}};
}

void Proxy::refuse(const Request& request, Response& response, const Error& error) const {
  response.status = status_of(error);
  response.set_content(error_body(api_of(request), error), json_type);
}

bool Proxy::is_admitted(const Request& request, Response& response) const {
  const bool is_page = request.path.compare(0, 4, "/v1/") != 0;
  const Access::Caller caller{request.get_header_value("Host"), request.get_header_value("Origin"),
                              request.get_header_value("x-ctxmgr-token"),
                              is_page ? request.get_header_value("Authorization") : std::string()};
  if (access_.admits(caller)) return true;
  refuse(
      request, response,
      {ErrorCode::denied,
       access_.has_token() ? "the header x-ctxmgr-token is missing or wrong" : "only programs of this machine may ask",
       {}});
  if (access_.has_token() && is_page) {
    response.status = 401;
    response.set_header("WWW-Authenticate", "Basic realm=\"ctxpack\"");
  }
  return false;
}

void Proxy::fit_and_forward(Api api, const Request& request, Response& response) {
  const auto began = steady_clock::now();
  ledger_.began();
  view::Step step;
  step.time = std::chrono::system_clock::now();
  step.id = next_id();
  const auto finish_with = [&](const Error& error) {
    refuse(request, response, error);
    step.status = response.status;
    step.error = error.message;
    ledger_.ended(api, std::move(step));
  };
  const auto named = request.get_header_value("x-ctxmgr-thread");
  if (!named.empty() && !is_valid_thread(named))
    return finish_with({ErrorCode::invalid_argument, "x-ctxmgr-thread: 1 to 100 printable ASCII characters", {}});
  auto glance = glance_at(request.body);
  if (!named.empty()) glance.thread = named;
  step.thread = glance.thread;
  Incoming incoming{api, request.target, to_send_on(request.headers), std::move(glance)};
  auto answer = Asking(options_, threads_, std::move(incoming), call(), step).run(request.body);
  if (!answer) return finish_with(answer.error());
  response.set_header("x-ctxmgr-thread", step.thread);
  response.set_header("x-ctxmgr-receipt-id", step.id);
  const auto form = receipt_form_of(request);
  if (form == ReceiptForm::header) response.set_header("x-ctxmgr-receipt", figures_of(step.receipt));
  step.took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began);
  const auto on_end = [this, api](view::Step ended) {
    // Of one call only: several are one agent's request with the proxy's own tools.
    if (!options_.budget && ended.usage.calls == 1)
      threads_.learn(ended.receipt.model_name, ended.receipt.input_tokens_used + ended.receipt.tools_tokens,
                     ended.usage.prompt_tokens);
    view::price(ended, ledger_.newest_of(ended.thread).get(), options_.manager.catalog());
    threads_.keep_receipt(ended.id, response_metadata(ended, options_.manager.catalog()));
    ledger_.ended(api, std::move(ended));
  };
  Answering::start(std::make_shared<Answering>(std::move(*answer), call(), std::move(step), on_end), api, form,
                   response);
}

void Proxy::forward(const Request& request, Response& response) {
  auto answer = options_.relay(request.target, request.body, to_send_on(request.headers), call());
  if (!answer) return refuse(request, response, answer.error());
  Answering::start(std::make_shared<Answering>(std::move(*answer), call(), view::Step{}, [](const view::Step&) {}),
                   api_of(request), ReceiptForm::reference, response);
}

void Proxy::store_attachment(const Request& request, Response& response) {
  auto attachment = ctxmgr::from_json<ctxmgr::RequestAttachment>(request.body);
  if (!attachment) return refuse(request, response, attachment.error());
  if (attachment->attachment_id.empty()) {
    char id[40];
    std::snprintf(id, sizeof id, "att-%016llx%016llx", static_cast<unsigned long long>(random_number()),
                  static_cast<unsigned long long>(random_number()));
    attachment->attachment_id = id;
  }
  if (auto stored = ctxmgr::store_attachment(attachments_, *attachment); !stored)
    return refuse(request, response, stored.error());
  const nlohmann::json body = {{"attachment_id", attachment->attachment_id},
                               {"title", attachment->title},
                               {"bytes", attachment->content.size()}};
  response.set_content(body.dump(), json_type);
}

void Proxy::show_receipt(const std::string& id, const Request& request, Response& response) {
  const auto receipt = threads_.receipt(id);
  if (!receipt) return refuse(request, response, receipt.error());
  response.set_content(*receipt, json_type);
}

void Proxy::show_page(const Request& request, Response& response) {
  view::Run run;
  run.title = "ctxpack serve";
  run.is_live = true;
  const auto steps = ledger_.steps();
  const auto thread = request.get_param_value("thread");
  const std::size_t first = steps.size() > most_steps_shown ? steps.size() - most_steps_shown : 0;
  for (std::size_t i = first; i < steps.size(); ++i) {
    if (thread.empty() || steps[i]->thread == thread) run.steps.push_back(*steps[i]);
  }
  const bool is_part = request.get_param_value("part") == "main";
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Content-Security-Policy", view::content_security_policy());
  response.set_content(is_part ? view::main_part(run) : view::to_html(run), "text/html; charset=utf-8");
}

void Proxy::attach_pages(Server& server) {
  server.Get("/", [this](const Request& request, Response& response) { show_page(request, response); });
  server.Get("/live.js", [](const Request&, Response& response) {
    response.set_content(std::string(view::live_script()), "text/javascript; charset=utf-8");
  });
  server.Get("/metrics", [this](const Request&, Response& response) {
    response.set_content(prometheus_text(ledger_.totals()), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/v1/receipts/([^/]{1,64})", [this](const Request& request, Response& response) {
    show_receipt(request.matches[1], request, response);
  });
}

bool Proxy::answer_error(const Request& request, Response& response) const {
  if (!response.body.empty() || response.content_provider_) return false;
  const int status = response.status;
  Error error{ErrorCode::invalid_argument, "the request cannot be read", {}};
  if (status == 413) error = {ErrorCode::limit_exceeded, "the request's body is too large", {}};
  if (status == 404) error = {ErrorCode::not_found, "there is no such endpoint", {}};
  refuse(request, response, error);
  response.status = status;
  return true;
}

void Proxy::attach(Server& server) {
  server.set_pre_routing_handler([this](const Request& request, Response& response) {
    using Outcome = httplib::Server::HandlerResponse;
    return is_admitted(request, response) ? Outcome::Unhandled : Outcome::Handled;
  });
  server.Post("/v1/chat/completions",
              [this](const Request& request, Response& response) { fit_and_forward(Api::openai, request, response); });
  server.Post("/v1/messages", [this](const Request& request, Response& response) {
    fit_and_forward(Api::anthropic, request, response);
  });
  const auto forwarded = [this](const Request& request, Response& response) { forward(request, response); };
  server.Get("/v1/models", forwarded);
  server.Get("/v1/models/.{1,200}", forwarded);
  server.Post("/v1/messages/count_tokens", forwarded);
  server.Post("/v1/attachments",
              [this](const Request& request, Response& response) { store_attachment(request, response); });
  attach_pages(server);
  const httplib::Server::HandlerWithResponse on_error = [this](const Request& request, Response& response) {
    return answer_error(request, response) ? httplib::Server::HandlerResponse::Handled
                                           : httplib::Server::HandlerResponse::Unhandled;
  };
  server.set_error_handler(on_error);
  server.set_exception_handler([this](const Request& request, Response& response, const std::exception_ptr&) {
    refuse(request, response, {ErrorCode::internal, "the request could not be handled", {}});
  });
}

}  // namespace ctxpack::serve
