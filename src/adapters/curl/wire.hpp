#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/curl/failure.hpp"
#include "adapters/curl/sse_parser.hpp"
#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// The three wire formats as functions: request to body, body to reply, events to reply. No network, no state.
namespace ctxmgr::wire {

/// How a reply of a given schema is asked for, strictest first.
enum class StructuredOutput { json_schema, json_object, prompt };

/// What a model at a service is known to refuse.
struct Quirks {
  StructuredOutput structured_output = StructuredOutput::json_schema;
  bool takes_temperature = true;
  bool max_completion_tokens = false;  ///< The newer name of `max_tokens`, which OpenAI's own models want.
  bool stream_options = true;
};

enum class Delivery { whole, stream, count_tokens };

struct BodyOptions {
  std::string_view model{};
  Quirks quirks{};
  Delivery delivery = Delivery::whole;
  std::string_view extra_body_json{};  ///< The client's own; the request's is merged over it.
};

/// Puts an event stream back together. One for each stream.
class StreamReader {
 public:
  StreamReader() = default;
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  virtual ~StreamReader() = default;

  /// The text that the event adds, mostly empty; or the error that the service reports in the middle.
  [[nodiscard]] virtual tl::expected<std::string, http::Failure> on_event(const http::SseEvent& event) = 0;

  /// Whether the service said that it is through. A stream that just ends is a broken one.
  [[nodiscard]] virtual bool is_complete() const = 0;

  /// Whether that was the last event of its format, after which nothing can come that matters.
  [[nodiscard]] virtual bool is_over() const { return is_complete(); }

  /// The reply, in the form of one that was not streamed.
  [[nodiscard]] virtual Json reply() const = 0;
};

/// A wire format.
struct Wire {
  std::string_view path;               ///< What follows the base URL.
  std::string_view count_tokens_path;  ///< Empty: the format has no such endpoint.
  bool has_json_mode;                  ///< Whether there is something between a schema and words.
  Result<std::string> (*write_body)(const LlmRequest& request, const BodyOptions& options);
  Result<LlmResponse> (*read_reply)(const Json& reply);
  std::unique_ptr<StreamReader> (*make_stream_reader)();
};

extern const Wire openai_chat;
extern const Wire openai_responses;
extern const Wire anthropic_messages;

/// `invalid_argument` unless the text is empty or a JSON object.
[[nodiscard]] Result<void> check_extra_body(std::string_view text);

/// The quirks to begin with, from the model's name and the service's host.
[[nodiscard]] Quirks initial_quirks(const Wire& wire, std::string_view model, std::string_view host);

/// What to do without after this error; nothing where the error is about something else. `has_schema`: the request
/// asked for structured output.
[[nodiscard]] std::optional<Quirks> adapted_quirks(const Wire& wire, const Quirks& quirks,
                                                   const http::ServiceError& error, bool has_schema);

}  // namespace ctxmgr::wire
