#include <algorithm>

#include "view/conversations.hpp"
#include "view/parts.hpp"
#include "view/pricing.hpp"
#include "view/window.hpp"

namespace ctxpack::view {
namespace {

void card(std::string_view label, const std::string& figure, Writer& out) {
  out.markup("<div class=card><b>")
      .words(figure)
      .markup("</b><span class='soft small'>")
      .words(label)
      .markup("</span></div>");
}

}  // namespace

void write_summary(const Run& run, Writer& out) {
  const auto& last = newest_built(run.steps).receipt;
  double cost = 0;
  double everything = 0;
  std::int64_t sent = 0;
  std::int64_t all = 0;
  std::int64_t cached = 0;
  std::int64_t prompt = 0;
  Summaries summaries;
  for (const auto& step : run.steps) {
    cost += step.cost_usd;
    everything += step.everything_usd;
    sent += step.receipt.input_tokens_used;
    all += std::max(step.receipt.include_all_tokens, step.receipt.input_tokens_used);
    cached += step.cached_tokens;
    prompt += step.input_tokens;
    add(summaries, step.summaries);
  }
  const Window window = window_of(last);
  const auto& error = run.steps.back().error;
  if (!error.empty()) out.markup("<p class=bad>The last request failed: ").words(error).markup("</p>");
  if (!run.conversations.empty())
    out.markup("<p class=sentence>").words(sentence_of(run.conversations.front())).markup("</p>");
  if (!error.empty() && last.messages_limit <= 0) return;  // None came to a build.
  out.markup("<p class=soft>").name(last.model_name.empty() ? "model not named" : last.model_name);
  out.markup(last.tokens_exact ? ", tokens counted exactly" : ", tokens estimated").markup("</p><div class=cards>");
  card(run.steps.size() == 1 ? "request" : "requests", grouped(static_cast<std::int64_t>(run.steps.size())), out);
  card("tokens in the last request", grouped(window.used()), out);
  card("of its budget", percent(static_cast<double>(window.used()), static_cast<double>(window.total())), out);
  card("not sent, over all requests", percent(static_cast<double>(all - sent), static_cast<double>(all)), out);
  card("of the input from the cache", percent(static_cast<double>(cached), static_cast<double>(prompt)), out);
  if (everything > 0) card("price of the input; of everything: " + usd(everything), usd(cost), out);
  if (summaries.usd) card("price of summaries made early", usd(*summaries.usd), out);
  out.markup("</div>");
  if (summaries.are_there())
    out.markup("<p class='soft small'>Summaries made early: ").words(words_of(summaries)).markup(".</p>");
}

void write_window(const Step& step, Writer& out) {
  const Window window = window_of(step.receipt);
  const auto total = static_cast<double>(window.total());
  constexpr double labelled_share = 0.09;
  out.markup("<section aria-labelledby=h-window><h2 id=h-window>What fills the window</h2>");
  out.markup("<div class=bar role=img aria-label='The window in proportion; the table below has its figures'>");
  for (const Kind kind : kinds) {
    const auto tokens = window.of(kind);
    if (tokens <= 0) continue;
    out.markup("<span class=").markup(to_string(kind)).markup(" style='width:");
    out.markup(share(static_cast<double>(tokens), total)).markup("' title='").markup(to_string(kind)).markup("'>");
    if (static_cast<double>(tokens) >= labelled_share * total)
      out.markup("<em>").markup(to_string(kind)).markup("</em>");
    out.markup("</span>");
  }
  out.markup(
      "</div><div class=scroll><table class=stack><thead><tr><th>kind<th class=n>tokens<th class=n>share<th>what it "
      "is");
  out.markup("</tr></thead><tbody>");
  for (const Kind kind : kinds) {
    const auto tokens = window.of(kind);
    out.markup(tokens > 0 ? "<tr>" : "<tr class=none>");  // A phone leaves it out.
    out.markup("<td data-l=kind><span><span class='key ")
        .markup(to_string(kind))
        .markup("'></span>")
        .markup(to_string(kind));
    out.markup("</span><td data-l=tokens class=n>").number(tokens).markup("<td data-l=share class=n>");
    out.markup(percent(static_cast<double>(tokens), total)).markup("<td data-l='what it is' class=soft>");
    out.markup(meaning(kind));
  }
  out.markup("</tbody></table></div><p class='soft small'>Messages: ");
  out.number(static_cast<std::int64_t>(step.receipt.messages_included)).markup(" sent, ");
  out.number(static_cast<std::int64_t>(step.receipt.messages_excluded)).markup(" left out.</p></section>");
}

}  // namespace ctxpack::view
