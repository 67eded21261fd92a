#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ctxmgr/prompts/prompt_template.hpp"

namespace ctxmgr::testing {

/// The text, or "error: ..." with the code and the message.
inline std::string rendered(std::string_view source, std::string_view data = "{}",
                            const TemplateOptions& options = {}) {
  const auto text = PromptTemplate::parse(source, options).and_then([data](const PromptTemplate& prompt) {
    return prompt.render_json(data);
  });
  return text ? *text : "error: " + std::string(to_string(text.error().code)) + ": " + text.error().message;
}

inline std::string rendered_strictly(std::string_view source, std::string_view data = "{}") {
  TemplateOptions options;
  options.strict_undefined = true;
  return rendered(source, data, options);
}

inline std::string rendered_as_chat(std::string_view source, std::string_view data = "{}") {
  TemplateOptions options;
  options.dialect = TemplateDialect::chat;
  return rendered(source, data, options);
}

/// Whether it fails, and with which code; the message names a place.
inline bool refused(std::string_view source, std::string_view data = "{}") {
  return rendered(source, data).rfind("error: invalid_argument: line ", 0) == 0;
}
inline bool exceeds(std::string_view source, std::string_view data = "{}") {
  return rendered(source, data).rfind("error: limit_exceeded: line ", 0) == 0;
}

}  // namespace ctxmgr::testing
