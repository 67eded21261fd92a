#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/clients/cassette.hpp"
#include "adapters/curl/sse_parser.hpp"
#include "adapters/curl/wire.hpp"
#include "core/json/json.hpp"

namespace ctxmgr::wire::test {

inline Json written(const Wire& wire, const LlmRequest& request, const BodyOptions& options) {
  const auto body = wire.write_body(request, options);
  EXPECT_TRUE(body) << body.error().message;
  auto json = parse_json(body.value_or(""));
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

inline LlmResponse read(const Wire& wire, const char* reply) {
  auto response = wire.read_reply(*parse_json(reply));
  EXPECT_TRUE(response) << reply;
  return response.value_or(LlmResponse{});
}

/// System, user, a call, its result, user.
inline LlmRequest conversation() {
  LlmRequest request;
  const auto add = [&request](Role role, std::string text) -> ConversationMessage& {
    auto& message = request.messages.emplace_back();
    message.role = role;
    if (!text.empty()) message.content = std::move(text);
    return message;
  };
  add(Role::system, "Be brief.");
  add(Role::user, "Find x.");
  add(Role::assistant, "").tool_calls.push_back({"call_1", "search", R"({"q":"x"})", ""});
  add(Role::tool, "x is here").tool_call_id = "call_1";
  add(Role::user, "Thanks.");
  request.tools.push_back({"search", "Searches.", R"({"type":"object","properties":{"q":{"type":"string"}}})", ""});
  return request;
}

inline std::string sse(const std::vector<std::string>& data) {
  std::string stream;
  for (const auto& line : data) stream += "data: " + line + "\n\n";
  return stream;
}

struct Streamed {
  std::string text;
  Result<LlmResponse> response;
};

/// As the client reads a stream that ends after these bytes.
inline Streamed read_stream(const Wire& wire, std::string_view bytes) {
  Streamed out;
  http::SseParser parser;
  const auto reader = wire.make_stream_reader();
  std::vector<http::SseEvent> events;
  parser.feed(bytes, events);
  for (const auto& event : events) {
    auto text = reader->on_event(event);
    if (!text) {
      out.response = tl::unexpected<Error>(text.error().error);
      return out;
    }
    out.text += *text;
  }
  if (reader->is_complete()) {
    out.response = wire.read_reply(reader->reply());
  } else {
    out.response = fail(ErrorCode::unavailable, "cut");
  }
  return out;
}

/// Everything in a response, to be compared.
inline std::string described(const LlmResponse& response) { return write_cassette_line({}, response); }

/// Cut anywhere, a stream is either an error of this kind, or already said all that matters.
inline void expect_every_cut_is_typed(const Wire& wire, const std::string& bytes) {
  const auto whole = read_stream(wire, bytes);
  ASSERT_TRUE(whole.response) << whole.response.error().message;
  std::size_t errors = 0;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    const auto part = read_stream(wire, std::string_view(bytes).substr(0, cut));
    EXPECT_EQ(whole.text.substr(0, part.text.size()), part.text) << "cut at " << cut;
    if (part.response) {
      EXPECT_EQ(text_of(part.response->message), text_of(whole.response->message)) << "cut at " << cut;
    } else {
      EXPECT_EQ(part.response.error().code, ErrorCode::unavailable) << "cut at " << cut;
      ++errors;
    }
  }
  EXPECT_GT(errors, bytes.size() / 3);
}

/// What a service might send where something else belongs.
inline std::vector<Json> values_of_every_type() {
  return {nullptr, true, -7, 1e300, "x", "", Json::array(), Json::array({7}), Json::object(), {{"x", 7}}};
}

/// Calls `use` with the document as often as `place` and what is in it has values, each time with another one replaced by
/// each type of value.
inline void with_each_value_replaced(Json& document, Json& place, const std::function<void(const Json&)>& use) {
  for (const Json& value : values_of_every_type()) {
    Json original = std::exchange(place, value);
    use(document);
    place = std::move(original);
  }
  for (Json& inner : place) with_each_value_replaced(document, inner, use);
}

inline void with_each_value_replaced(Json document, const std::function<void(const Json&)>& use) {
  with_each_value_replaced(document, document, use);
}

/// A reply of any shape is read or refused, and nothing is thrown.
inline void expect_any_reply_is_harmless(const Wire& wire, const char* reply) {
  with_each_value_replaced(*parse_json(reply), [&](const Json& changed) {
    EXPECT_NO_THROW(static_cast<void>(wire.read_reply(changed))) << dump_json(changed);
  });
}

/// Likewise for each event of a stream, whose data these are.
inline void expect_any_stream_is_harmless(const Wire& wire, const std::vector<std::string>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto event = parse_json(events[i]);
    if (!event) continue;  // [DONE]
    with_each_value_replaced(*event, [&](const Json& changed) {
      auto stream = events;
      stream[i] = dump_json(changed);
      EXPECT_NO_THROW(static_cast<void>(read_stream(wire, sse(stream)))) << dump_json(changed);
    });
  }
}

}  // namespace ctxmgr::wire::test
