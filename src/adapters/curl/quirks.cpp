#include <algorithm>
#include <array>
#include <iterator>

#include "adapters/curl/wire.hpp"

namespace ctxmgr::wire {
namespace {

bool is_reasoning_model(std::string_view model) {
  constexpr std::array<std::string_view, 4> families = {"o1", "o3", "o4", "gpt-5"};
  const auto slash = model.rfind('/');
  const auto name = slash == std::string_view::npos ? model : model.substr(slash + 1);
  return std::any_of(families.begin(), families.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

bool is_about(const http::ServiceError& error, std::string_view word) {
  return error.param.find(word) != std::string::npos || error.message.find(word) != std::string::npos;
}

/// That the field is taken, but not this value of it, is for the caller to mend.
bool refuses(const http::ServiceError& error, std::string_view field) {
  constexpr std::array<std::string_view, 9> words = {"range",   "less than", "greater than", "maximum",  "minimum",
                                                     "at most", "at least",  "non-negative", "too large"};
  return is_about(error, field) && std::none_of(words.begin(), words.end(), [&](std::string_view word) {
           return error.message.find(word) != std::string::npos;
         });
}

/// What the service names goes before what it says: a tool's schema is the caller's to mend.
bool is_about_structured_output(const http::ServiceError& error) {
  constexpr std::array<std::string_view, 4> params = {"response_format", "text.format", "output_config", "json_schema"};
  constexpr std::array<std::string_view, 8> words = {"response_format", "response format", "json_schema", "json_object",
                                                     "output_config",   "text.format",     "structured",  "schema"};
  const auto holds = [](const std::string& text) {
    return [&text](std::string_view word) { return text.find(word) != std::string::npos; };
  };
  if (!error.param.empty()) return std::any_of(params.begin(), params.end(), holds(error.param));
  const bool is_about_tools = holds(error.message)("tool") || holds(error.message)("function");
  const auto said = is_about_tools ? std::prev(words.end(), 2) : words.end();
  return std::any_of(words.begin(), said, holds(error.message));
}

}  // namespace

Quirks initial_quirks(const Wire& wire, std::string_view model, std::string_view host) {
  Quirks quirks;
  quirks.takes_temperature = !is_reasoning_model(model);
  quirks.max_completion_tokens = host == "api.openai.com" || host.ends_with(".openai.azure.com");
  // Anthropic's compatible endpoint ignores the field without a word.
  const bool ignores_schemas = host == "api.anthropic.com" && &wire == &openai_chat;
  if (ignores_schemas) quirks.structured_output = StructuredOutput::prompt;
  return quirks;
}

std::optional<Quirks> adapted_quirks(const Wire& wire, const Quirks& quirks, const http::ServiceError& error,
                                     bool has_schema) {
  auto adapted = quirks;
  if (refuses(error, "max_completion_tokens")) {
    adapted.max_completion_tokens = !quirks.max_completion_tokens;
  } else if (quirks.takes_temperature && refuses(error, "temperature")) {
    adapted.takes_temperature = false;
  } else if (quirks.stream_options && is_about(error, "stream_options")) {
    adapted.stream_options = false;
  } else if (has_schema && quirks.structured_output != StructuredOutput::prompt && is_about_structured_output(error)) {
    const bool try_json_mode = wire.has_json_mode && quirks.structured_output == StructuredOutput::json_schema;
    adapted.structured_output = try_json_mode ? StructuredOutput::json_object : StructuredOutput::prompt;
  } else {
    return std::nullopt;
  }
  return adapted;
}

}  // namespace ctxmgr::wire
