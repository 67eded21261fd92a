#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "view/conversations.hpp"
#include "view/parts.hpp"
#include "view/window.hpp"

namespace ctxpack::view {
namespace {

constexpr std::size_t most_columns = 200;
constexpr double width = 1'000;
constexpr double height = 100;

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
  bool has_summaries = false;  ///< Their price is in what was sent.
};

Series series_of(const Run& run) {
  Series series;
  double sent = 0;
  double everything = 0;
  for (const auto& step : run.steps) {
    sent += step.cost_usd + step.summaries.usd.value_or(0);
    series.has_summaries = series.has_summaries || step.summaries.usd;
    everything += step.everything_usd;
    const auto whole = static_cast<double>(step.input_tokens);
    series.sent.push_back(sent);
    series.everything.push_back(everything);
    series.cached.push_back(whole > 0 ? static_cast<double>(step.cached_tokens) / whole : 0);
  }
  return series;
}

/// Three marks beside the picture, the greatest above.
void open_plot(const std::string& most, const std::string& half, const char* least, Writer& out) {
  out.markup("<div class=plot><div class=y aria-hidden=true><span>").words(most).markup("</span><span>").words(half);
  out.markup("</span><span>").markup(least).markup("</span></div>");
}

/// The marks below it: numbers of requests.
void close_plot(std::size_t requests, Writer& out) {
  out.markup("<div class=x aria-hidden=true><span>1</span><span>request</span><span>");
  out.number(static_cast<std::int64_t>(requests)).markup("</span></div></div>");
}

void open_lines(const std::string& label, Writer& out) {
  out.markup("<svg class=lines viewBox='0 0 1000 100' preserveAspectRatio=none role=img aria-label='").words(label);
  out.markup("'><polyline class=axis points='0,0 0,100 1000,100'/><polyline class=grid points='0,50 1000,50'/>");
}

void write_column(const Window& window, double most, bool is_compaction, Writer& out) {
  out.markup(is_compaction ? "<div class='col cut'>" : "<div class=col>");
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
    if (*kind == Kind::free || window.of(*kind) <= 0) continue;
    out.markup("<span class=").markup(to_string(*kind)).markup(" style='height:");
    out.markup(share(static_cast<double>(window.of(*kind)), most)).markup("'></span>");
  }
  out.markup("</div>");
}

/// For each step, whether something gave way since the one before of its conversation.
std::vector<bool> compactions_of(const Run& run) {
  std::vector<bool> compactions;
  std::unordered_map<std::string, const Step*> newest;
  for (const auto& step : run.steps) {
    const Step*& before = newest[step.thread];
    compactions.push_back(is_compaction(step, before));
    before = &step;
  }
  return compactions;
}

void write_columns(const Run& run, std::int64_t most, Writer& out) {
  // Every n-th step, the last one always; a column says of all that it stands for whether something gave way.
  const auto compactions = compactions_of(run);
  const std::size_t stride = (run.steps.size() + most_columns - 1) / most_columns;
  bool is_compaction = false;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    is_compaction = is_compaction || compactions[i];
    if ((run.steps.size() - 1 - i) % stride != 0) continue;
    write_column(window_of(run.steps[i].receipt), static_cast<double>(most), is_compaction, out);
    is_compaction = false;
  }
}

void write_legend_of_columns(std::int64_t budget, std::int64_t compactions, Writer& out) {
  out.markup("<ul class=legend>");
  for (const Kind kind : kinds) {
    if (kind == Kind::free) continue;
    out.markup("<li><span class='key ").markup(to_string(kind)).markup("'></span>").markup(to_string(kind));
    out.markup("</li>");
  }
  out.markup("<li><span class=dashes aria-hidden=true></span>budget ").number(budget).markup("</li>");
  if (compactions > 0) {
    out.markup("<li><span class=mark aria-hidden=true>▼</span> compacted: older messages gave way (");
    out.number(compactions).markup(compactions == 1 ? " time)</li>" : " times)</li>");
  }
  out.markup("</ul>");
}

}  // namespace

void write_steps(const Run& run, Writer& out) {
  std::int64_t most = 1;
  std::int64_t budget = 0;
  for (const Step& step : run.steps) {
    const auto window = window_of(step.receipt);
    most = std::max({most, window.used(), window.total()});
    if (window.total() > 0) budget = window.total();
  }
  const auto compactions = compactions_of(run);
  out.markup("<section aria-labelledby=h-steps><h2 id=h-steps>Tokens of each request</h2>");
  open_plot(grouped(most), grouped(most / 2), "0", out);
  out.markup(
      "<div class=chart role=img aria-label='Tokens of each request by kind; the table of requests has the figures'>");
  write_columns(run, most, out);
  out.markup("<div class=limit style='bottom:").markup(share(static_cast<double>(budget), static_cast<double>(most)));
  out.markup("'></div></div>");
  close_plot(run.steps.size(), out);
  write_legend_of_columns(budget, std::count(compactions.begin(), compactions.end(), true), out);
  out.markup("</section>");
}

void write_prices(const Run& run, Writer& out) {
  const Series series = series_of(run);
  const double most = std::max(series.everything.back(), series.sent.back());
  out.markup("<section aria-labelledby=h-price><h2 id=h-price>Price of the input");
  out.markup(series.has_summaries ? " and of summaries, added up</h2>" : ", added up</h2>");
  if (most > 0) {
    open_plot(usd(most), usd(most / 2), "$0", out);
    open_lines("Price of the input, added up: " + usd(series.sent.back()) + " sent, " + usd(series.everything.back()) +
                   " for everything",
               out);
    line("all", series.everything, most, out);
    line("sent", series.sent, most, out);
    out.markup("</svg>");
    close_plot(run.steps.size(), out);
    out.markup("<ul class=legend>");
    legend("sent",
           (series.has_summaries ? "what was sent, with summaries: " : "what was sent: ") + usd(series.sent.back()),
           out);
    legend("all", "everything, with a cache: " + usd(series.everything.back()), out);
    out.markup("</ul>");
  } else {
    out.markup("<p class=soft>No price is known for this model.</p>");
  }
  out.markup("</section><section aria-labelledby=h-cached><h2 id=h-cached>Share of the input from the cache</h2>");
  open_plot("100\u00A0%", "50\u00A0%", "0", out);
  open_lines("Share of the input from the cache; of the last request " + percent(series.cached.back(), 1), out);
  line("cache", series.cached, 1, out);
  out.markup("</svg>");
  close_plot(run.steps.size(), out);
  out.markup("<ul class=legend>");
  legend("cache", "cached, of the last request: " + percent(series.cached.back(), 1), out);
  out.markup("</ul></section>");
}

}  // namespace ctxpack::view
