#include "serve/metrics.hpp"

#include <cstdio>
#include <string_view>

namespace ctxpack::serve {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Page {
 public:
  void describe(std::string_view name, std::string_view type, std::string_view help) {
    (text_ += "# HELP ctxmgr_").append(name).append(" ").append(help).append("\n");
    (text_ += "# TYPE ctxmgr_").append(name).append(" ").append(type).append("\n");
  }

  /// `labels` with their braces. They are of this program, never of a request.
  void sample(std::string_view name, std::string_view labels, const std::string& value) {
    (text_ += "ctxmgr_").append(name).append(labels).append(" ").append(value).append("\n");
  }

  void counter(std::string_view name, std::string_view help, const std::string& value) {
    describe(name, "counter", help);
    sample(name, "", value);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_durations(const Totals& totals, Page& page) {
  constexpr std::string_view name = "request_duration_seconds";
  page.describe(name, "histogram", "From the request's arrival to the last byte of its answer.");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < duration_buckets.size(); ++i) {
    sum += totals.durations[i];
    page.sample("request_duration_seconds_bucket", "{le=\"" + decimal(duration_buckets[i]) + "\"}",
                std::to_string(sum));
  }
  page.sample("request_duration_seconds_bucket", "{le=\"+Inf\"}", std::to_string(totals.answers));
  page.sample("request_duration_seconds_sum", "", decimal(totals.seconds));
  page.sample("request_duration_seconds_count", "", std::to_string(totals.answers));
}

}  // namespace

std::string prometheus_text(const Totals& totals, const PreparingTotals& preparing) {
  Page page;
  page.describe("requests_total", "counter", "Requests by service and status of the answer.");
  for (const auto& [key, count] : totals.requests) {
    const std::string labels =
        "{api=\"" + std::string(to_string(key.first)) + "\",status=\"" + std::to_string(key.second) + "\"}";
    page.sample("requests_total", labels, std::to_string(count));
  }
  page.describe("requests_in_flight", "gauge", "Requests whose answer has not ended.");
  page.sample("requests_in_flight", "", std::to_string(totals.in_flight));
  page.counter("input_tokens_total", "Tokens sent, tools included, as counted here.",
               std::to_string(totals.input_tokens));
  page.counter("tokens_saved_total", "Tokens not sent, against sending everything.",
               std::to_string(totals.tokens_saved));
  page.counter("cached_tokens_total", "Input tokens that the service read from its cache.",
               std::to_string(totals.cached_tokens));
  page.counter("output_tokens_total", "Tokens of answers, as the service counted them.",
               std::to_string(totals.output_tokens));
  page.counter("artifacts_shortened_total", "Artifacts sent in part.", std::to_string(totals.artifacts_shortened));
  page.counter("artifacts_left_out_total", "Artifacts not sent.", std::to_string(totals.artifacts_left_out));
  page.counter("build_seconds_total", "Time that fitting took.", decimal(totals.build_seconds));
  page.counter("summary_calls_total", "Calls for summaries made before a compaction.",
               std::to_string(preparing.usage.calls));
  page.counter("summary_tokens_total", "Tokens that those took, of prompts and replies.",
               std::to_string(preparing.usage.total_tokens()));
  page.counter("summary_input_tokens_total", "Those of the prompts.", std::to_string(preparing.usage.prompt_tokens));
  page.counter("summary_output_tokens_total", "Those of the replies.",
               std::to_string(preparing.usage.completion_tokens));
  page.counter("summary_usd_total", "Price of those calls; 0 where the catalogue has no price for the model.",
               decimal(preparing.usd));
  page.counter("summaries_skipped_total", "Threads not prepared: too many waited, or the hour's tokens were spent.",
               std::to_string(preparing.skipped));
  page.describe("summaries_under_way", "gauge", "Threads that are prepared now, or wait for it.");
  page.sample("summaries_under_way", "", std::to_string(preparing.under_way));
  write_durations(totals, page);
  return page.take();
}

}  // namespace ctxpack::serve
