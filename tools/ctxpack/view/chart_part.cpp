#include <algorithm>
#include <cstdio>

#include "view/parts.hpp"
#include "view/window.hpp"

namespace ctxpack::view {
namespace {

constexpr std::size_t most_columns = 200;
constexpr double width = 1'000;
constexpr double height = 100;

/// Every n-th step, the last one always.
std::vector<const Step*> shown_steps(const Run& run) {
  const std::size_t stride = (run.steps.size() + most_columns - 1) / most_columns;
  std::vector<const Step*> shown;
  for (std::size_t i = (run.steps.size() - 1) % stride; i < run.steps.size(); i += stride)
    shown.push_back(&run.steps[i]);
  return shown;
}

std::string points_of(const std::vector<double>& values, double most) {
  std::string points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values.size() > 1 ? width * static_cast<double>(i) / static_cast<double>(values.size() - 1) : 0;
    const double y = height - (most > 0 ? height * std::clamp(values[i] / most, 0.0, 1.0) : 0);
    char point[64];
    std::snprintf(point, sizeof point, "%.1f,%.2f ", x, y);
    points += point;
  }
  return points;
}

void line(const char* name, const std::vector<double>& values, double most, Writer& out) {
  out.markup("<polyline class=").markup(name).markup(" points='").markup(points_of(values, most)).markup("'/>");
}

void legend(const char* name, const std::string& words, Writer& out) {
  out.markup("<li><svg class=lines viewBox='0 0 40 10' preserveAspectRatio=none aria-hidden=true><polyline class=");
  out.markup(name).markup(" points='0,5 40,5'/></svg>").words(words).markup("</li>");
}

/// Sums and shares over the steps.
struct Series {
  std::vector<double> sent{};
  std::vector<double> everything{};
  std::vector<double> cached{};
};

Series series_of(const Run& run) {
  Series series;
  double sent = 0;
  double everything = 0;
  for (const auto& step : run.steps) {
    sent += step.cost_usd;
    everything += step.everything_usd;
    const bool reported = step.usage.calls > 0 && step.usage.prompt_tokens > 0;
    const auto part = reported ? step.usage.cached_prompt_tokens : step.receipt.prefix_tokens_kept;
    const auto whole = reported ? step.usage.prompt_tokens : step.receipt.input_tokens_used + step.receipt.tools_tokens;
    series.sent.push_back(sent);
    series.everything.push_back(everything);
    series.cached.push_back(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
  }
  return series;
}

void write_column(const Window& window, double most, Writer& out) {
  out.markup("<div class=col>");
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
    if (*kind == Kind::free || window.of(*kind) <= 0) continue;
    out.markup("<span class=").markup(to_string(*kind)).markup(" style='height:");
    out.markup(share(static_cast<double>(window.of(*kind)), most)).markup("'></span>");
  }
  out.markup("</div>");
}

}  // namespace

void write_steps(const Run& run, Writer& out) {
  const auto shown = shown_steps(run);
  std::vector<Window> windows;
  std::int64_t most = 1;
  std::int64_t budget = 0;
  for (const Step* step : shown) {
    windows.push_back(window_of(step->receipt));
    most = std::max({most, windows.back().used(), windows.back().total()});
    budget = windows.back().total();
  }
  out.markup("<section aria-labelledby=h-steps><h2 id=h-steps>The budget over ");
  out.number(static_cast<std::int64_t>(run.steps.size())).markup(" requests</h2>");
  out.markup(
      "<div class=chart role=img aria-label='Tokens of each request by kind; the table of requests has the figures'>");
  for (const Window& window : windows) write_column(window, static_cast<double>(most), out);
  out.markup("<div class=limit style='bottom:").markup(share(static_cast<double>(budget), static_cast<double>(most)));
  out.markup("'><em>budget ").number(budget).markup("</em></div></div><ul class=legend>");
  for (const Kind kind : kinds) {
    if (kind == Kind::free) continue;
    out.markup("<li><span class='key ")
        .markup(to_string(kind))
        .markup("'></span>")
        .markup(to_string(kind))
        .markup("</li>");
  }
  out.markup("</ul></section>");
}

void write_prices(const Run& run, Writer& out) {
  const Series series = series_of(run);
  const double most = std::max(series.everything.back(), series.sent.back());
  out.markup("<section aria-labelledby=h-price><h2 id=h-price>Price and cached share</h2>");
  out.markup("<svg class=lines viewBox='0 0 1000 100' preserveAspectRatio=none role=img aria-label='");
  out.words("Price of the input, added up: " + usd(series.sent.back()) + " sent, " + usd(series.everything.back()) +
            " for everything; cached share of the last request " + percent(series.cached.back(), 1));
  out.markup("'><polyline class=axis points='0,0 0,100 1000,100'/>");
  if (most > 0) {
    line("all", series.everything, most, out);
    line("sent", series.sent, most, out);
  }
  line("cache", series.cached, 1, out);
  out.markup("</svg><ul class=legend>");
  if (most > 0) {
    legend("sent", "price of what was sent, added up: " + usd(series.sent.back()), out);
    legend("all", "price of everything: " + usd(series.everything.back()), out);
  } else {
    out.markup("<li class=soft>The catalogue has no price for this model.</li>");
  }
  legend("cache", "share of the input from the cache: " + percent(series.cached.back(), 1), out);
  out.markup("</ul></section>");
}

}  // namespace ctxpack::view
