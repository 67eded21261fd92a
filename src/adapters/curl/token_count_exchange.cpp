#include "adapters/curl/token_count_exchange.hpp"

#include <string>

#include "core/json/json.hpp"

namespace ctxmgr::http {

Result<HttpRequest> TokenCountExchange::next_request() {
  const auto& model = request_.model.empty() ? context_.default_model : request_.model;
  const auto quirks = context_.quirks.find(context_.wire, model, context_.service.host());
  auto body =
      context_.wire.write_body(request_, {model, quirks, wire::Delivery::count_tokens, context_.extra_body_json});
  if (!body) return tl::unexpected<Error>(std::move(body.error()));
  return context_.service.request(context_.wire.count_tokens_path, *std::move(body));
}

Exchange::Step TokenCountExchange::on_reply(HttpReply reply) {
  if (reply.status != 200) {
    return {Next::failed, classify_error(reply, parse_service_error(reply.body), std::chrono::system_clock::now())};
  }
  const auto json = parse_json(reply.body);
  const auto tokens = json ? get_int(*json, "input_tokens") : std::nullopt;
  if (!tokens || *tokens < 0) return {Next::failed, bad_reply("the reply holds no token count")};
  result_ = *tokens;
  return {};
}

Exchange::Step TokenCountExchange::on_bytes(std::string_view) {
  return {Next::failed, bad_reply("the reply to a token count is a stream")};
}

void TokenCountExchange::on_failure(Error error) {
  result_ = tl::unexpected<Error>(context_.service.redacted(std::move(error)));
}

}  // namespace ctxmgr::http
