#include "adapters/clients/cassette.hpp"

#include "core/as_sent.hpp"
#include "core/enum_tables.hpp"
#include "core/json/types.hpp"
#include "ports/port_enum_tables.hpp"

namespace ctxmgr {

namespace {

constexpr int version = 1;

ErrorCode parse_error_code(std::string_view name) {
  for (int code = 0; code < static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::internal;
}

Json sent_messages(const std::vector<ConversationMessage>& messages) {
  Json json = Json::array();
  for (const ConversationMessage& message : messages) json.push_back(write_json(as_sent(message)));
  return json;
}

Json write_request(const LlmRequest& request) {
  Json json = {
      {"model", request.model}, {"messages", sent_messages(request.messages)}, {"purpose", enum_name(request.purpose)}};
  if (!request.tools.empty()) json["tools"] = write_json(request.tools);
  if (!request.response_schema_json.empty()) json["response_schema"] = request.response_schema_json;
  if (request.temperature) json["temperature"] = *request.temperature;
  if (request.max_output_tokens) json["max_output_tokens"] = *request.max_output_tokens;
  if (!request.extra_body_json.empty()) json["extra_body"] = request.extra_body_json;
  return json;
}

Json write_response(const LlmResponse& response) {
  return {{"message", write_json(response.message)},
          {"finish_reason", enum_name(response.finish_reason)},
          {"usage", write_json(response.usage)},
          {"model", response.model}};
}

Json write_error(const Error& error) {
  Json json = {{"code", to_string(error.code)}, {"message", error.message}};
  if (error.retry_after) json["retry_after_ms"] = error.retry_after->count();
  return json;
}

void read_json(JsonReader& in, const Json& json, LlmResponse& out) {
  if (!in.is_object(json)) return;
  in.field(json, "message", out.message);
  in.field(json, "finish_reason", out.finish_reason);
  in.field(json, "usage", out.usage);
  in.field(json, "model", out.model);
}

Error read_error(const Json& json) {
  Error error;
  if (const auto* const code = get_string(json, "code")) error.code = parse_error_code(*code);
  if (const auto* const message = get_string(json, "message")) error.message = *message;
  if (const auto ms = get_int(json, "retry_after_ms")) error.retry_after = std::chrono::milliseconds(*ms);
  return error;
}

/// The purpose is in the record and not in the key: it is not sent.
std::string key_of_written(Json request) {
  request.erase("purpose");
  return dump_json(request);
}

/// Of a request as it was recorded, by a version that wrote more of the messages, too.
Result<std::string> key_of(Json request) {
  if (const Json* const messages = find_field(request, "messages")) {
    const auto read = decode_json<std::vector<ConversationMessage>>(*messages);
    if (!read) return tl::unexpected<Error>(read.error());
    request["messages"] = sent_messages(*read);
  }
  return key_of_written(std::move(request));
}

}  // namespace

std::string cassette_key(const LlmRequest& request) { return key_of_written(write_request(request)); }

std::string write_cassette_line(const LlmRequest& request, const Result<LlmResponse>& result) {
  Json line = {{"v", version}, {"request", write_request(request)}};
  if (result) {
    line["response"] = write_response(*result);
  } else {
    line["error"] = write_error(result.error());
  }
  return dump_json(line) + "\n";
}

Result<CassetteLine> read_cassette_line(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) return tl::unexpected<Error>(json.error());
  const Json* const request = find_field(*json, "request");
  const Json* const response = find_field(*json, "response");
  const Json* const error = find_field(*json, "error");
  if (get_int(*json, "v") != version || request == nullptr || !request->is_object() ||
      (response == nullptr) == (error == nullptr)) {
    return fail(ErrorCode::invalid_argument, "not a line of a cassette of version 1");
  }
  CassetteLine out;
  auto key = key_of(*request);
  if (!key) return tl::unexpected<Error>(std::move(key.error()));
  out.key = *std::move(key);
  if (error != nullptr) {
    out.result = tl::unexpected<Error>(read_error(*error));
    return out;
  }
  JsonReader in;
  LlmResponse read;
  read_json(in, *response, read);
  auto finished = std::move(in).finish(std::move(read), ErrorCode::invalid_argument);
  if (!finished) return tl::unexpected<Error>(finished.error());
  out.result = *std::move(finished);
  return out;
}

}  // namespace ctxmgr
