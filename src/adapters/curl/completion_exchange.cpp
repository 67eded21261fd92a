#include "adapters/curl/completion_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "adapters/curl/origin.hpp"
#include "adapters/curl/service_words.hpp"
#include "adapters/curl/wire_common.hpp"
#include "core/json/json.hpp"

namespace ctxmgr::http {
namespace {

constexpr std::size_t max_known_models = 256;

// Anthropic's SDK reckons with 128,000 tokens an hour at worst. No model writes more at once.
constexpr std::int64_t most_tokens = 128'000;
constexpr std::int64_t hour_ms = 3'600'000;

// The connection can be used again where its stream ends properly, as it does within a moment if at all.
constexpr std::chrono::milliseconds patience_after_the_end{250};

/// Models asked for JSON in words like to wrap it in a Markdown fence.
void strip_code_fence(MessageContent& content) {
  auto* const text = std::get_if<std::string>(&content);
  if (text == nullptr) return;
  constexpr std::string_view space = " \t\r\n";
  const auto first = text->find_first_not_of(space);
  if (first == std::string::npos || text->compare(first, 3, "```") != 0) return;
  const auto line_end = text->find('\n', first);
  const auto closing = text->rfind("```");
  if (line_end == std::string::npos || closing <= line_end) return;
  *text = text->substr(line_end + 1, closing - line_end - 1);
}

/// Some servers call an event stream JSON, or nothing at all.
bool looks_like_events(std::string_view body) {
  constexpr std::array<std::string_view, 3> starts = {"data:", "event:", ": "};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return body.substr(0, start.size()) == start; });
}

/// Only types that are known: a header may hold anything.
std::string content_type_for_message(const HttpReply& reply) {
  constexpr std::array<std::string_view, 5> known = {"text/html", "text/plain", "application/json", "application/xml",
                                                     "text/xml"};
  for (const auto type : known) {
    if (reply.content_type.compare(0, type.size(), type) == 0) return "of type " + std::string(type);
  }
  return "of another type";
}

}  // namespace

wire::Quirks QuirkMemory::find(const wire::Wire& wire, const std::string& model, std::string_view host) const {
  const std::lock_guard lock(mutex_);
  const auto known = quirks_.find(model);
  return known != quirks_.end() ? known->second : wire::initial_quirks(wire, model, host);
}

void QuirkMemory::remember(const std::string& model, const wire::Quirks& quirks) {
  const std::lock_guard lock(mutex_);
  if (quirks_.size() < max_known_models || quirks_.count(model) != 0) quirks_[model] = quirks;
}

CompletionExchange::CompletionExchange(const CompletionContext& context, const LlmRequest& request,
                                       const TextSink* on_text)
    : context_(context),
      own_request_(wire::fitted_request(request, context.service.host(), context.shape)),
      request_(own_request_ ? *own_request_ : request),
      on_text_(on_text),
      model_(request.model.empty() ? context.default_model : request.model),
      quirks_(context.quirks.find(context.wire, model_, context.service.host())),
      result_(fail(ErrorCode::internal, "the call was not carried out")) {}

Result<HttpRequest> CompletionExchange::next_request() {
  if (!is_valid_header("model", model_)) {
    return fail(ErrorCode::invalid_argument, "the model's name holds control characters");
  }
  if (auto checked = wire::check_tools(request_.tools); !checked) return tl::unexpected<Error>(checked.error());
  parser_ = {};
  reader_ = nullptr;
  const auto delivery = on_text_ == nullptr ? wire::Delivery::whole : wire::Delivery::stream;
  auto body = context_.wire.write_body(request_, {model_, quirks_, delivery, context_.extra_body_json});
  if (!body) return tl::unexpected<Error>(std::move(body.error()));
  return context_.service.request(context_.wire.path, *std::move(body));
}

/// The service's sentence goes along, but for what it quotes.
Exchange::Step CompletionExchange::failed(Failure failure) const {
  const auto words = quotable(failure.sentence, request_.messages);
  if (!words.empty()) failure.error.message += ": " + words;
  return {Exchange::Next::failed, std::move(failure)};
}

Exchange::Step CompletionExchange::on_reply(HttpReply reply) {
  if (reply.status != 200) return on_error_reply(reply);
  if (!reader_ && looks_like_events(reply.body)) {
    if (auto step = on_bytes(reply.body); step.next == Next::failed) return step;
  }
  return reader_ ? end_stream() : read_whole(reply);
}

Exchange::Step CompletionExchange::read_whole(HttpReply& reply) {
  const auto json = wire::parse_reply(reply.body);
  if (!json) return failed(bad_reply("the reply is not JSON but " + content_type_for_message(reply)));
  if (reports_error(*json)) return failed(classify_late_error(reply.body, std::chrono::system_clock::now()));
  auto step = accept(*json);
  if (step.next == Next::done && on_text_ != nullptr) return deliver(text_of(result_->message));
  return step;
}

Exchange::Step CompletionExchange::accept(const Json& reply) {
  auto response = context_.wire.read_reply(reply);
  if (!response) return failed({std::move(response.error()), Retry::once, false});
  if (response->model.empty()) response->model = model_;
  if (!request_.response_schema_json.empty()) strip_code_fence(response->message.content);
  wire::set_origin(response->message, context_.service.host());
  if (has_adapted_) context_.quirks.remember(model_, quirks_);
  result_ = std::move(response);
  return {};
}

Exchange::Step CompletionExchange::on_error_reply(const HttpReply& reply) {
  const auto service_error = parse_service_error(reply.body);
  auto failure = classify_error(reply, service_error, std::chrono::system_clock::now());
  if (model_.empty()) failure.error.message += "; neither the request nor the client names a model";
  if (failure.error.code == ErrorCode::invalid_argument) {
    const bool has_schema = !request_.response_schema_json.empty();
    if (const auto adapted = wire::adapted_quirks(context_.wire, quirks_, service_error, has_schema)) {
      quirks_ = *adapted;
      has_adapted_ = true;
      return {Next::ask_again, std::move(failure)};
    }
  }
  return failed(std::move(failure));
}

Exchange::Step CompletionExchange::on_bytes(std::string_view bytes) {
  if (!reader_) reader_ = context_.wire.make_stream_reader();
  std::vector<SseEvent> events;
  parser_.feed(bytes, events);
  for (const auto& event : events) {
    if (reader_->is_over()) break;
    auto text = reader_->on_event(event);
    if (!text) return failed(std::move(text.error()));
    if (text->empty()) continue;
    if (auto step = deliver(*text); step.next == Next::failed) return step;
  }
  return {Next::ask_again, {}};
}

Exchange::Step CompletionExchange::end_stream() {
  if (!reader_->is_complete()) return failed(classify_failure(TransportFailure::broken));
  return accept(reader_->reply());
}

bool CompletionExchange::accept_unfinished() {
  return !sink_threw_ && reader_ && reader_->is_complete() && accept(reader_->reply()).next == Next::done;
}

Exchange::Step CompletionExchange::deliver(std::string_view text) {
  if (on_text_ == nullptr || !*on_text_ || text.empty()) return {};
  has_delivered_ = true;
  try {
    (*on_text_)(text);
  } catch (...) {
    sink_threw_ = true;
    return failed({{ErrorCode::internal, "on_text threw an exception", {}}, Retry::never, false});
  }
  return {};
}

std::chrono::milliseconds CompletionExchange::patience(const ExchangeLimits& limits, bool has_begun) const {
  if (reader_ && reader_->is_over()) return patience_after_the_end;
  if (on_text_ != nullptr) {
    // A stream may begin with events that say nothing but that the model has begun to think.
    const bool is_thinking = has_begun && !has_delivered_;
    return is_thinking ? std::max(limits.first_byte_timeout, limits.idle_timeout)
                       : Exchange::patience(limits, has_begun);
  }
  if (has_begun) return limits.idle_timeout;
  const auto tokens = std::clamp<std::int64_t>(request_.max_output_tokens.value_or(most_tokens), 0, most_tokens);
  return limits.first_byte_timeout + std::chrono::milliseconds(tokens * hour_ms / most_tokens);
}

void CompletionExchange::on_failure(Error error) {
  result_ = tl::unexpected<Error>(context_.service.redacted(std::move(error)));
}

}  // namespace ctxmgr::http
