#include "option_names.hpp"

#include <string_view>
#include <utility>

namespace ctxpack {

std::string in_options(std::string message) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"budget.max_input_tokens or budget.context_window_tokens", "--budget"},
      {"budget.max_input_tokens", "--budget"},
      {"tools_budget", "--tools-budget"},
      {"allow_plain_http", "--allow-plain-http"},
      {"--upstream: base_url", "--upstream"},
      {"base_url", "--base-url"}};
  for (const auto& [field, option] : names) {
    const auto at = message.find(field);
    if (at != std::string::npos) message.replace(at, field.size(), option);
  }
  return message;
}

}  // namespace ctxpack
