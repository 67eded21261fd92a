#include "view/html.hpp"

#include "ctxmgr/core/receipt_words.hpp"
#include "view/conversations.hpp"
#include "view/parts.hpp"
#include "view/style.hpp"

namespace ctxpack::view {
namespace {

constexpr const char* policy_of_files =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

constexpr std::string_view script = R"js("use strict";
(() => {
  const main = document.querySelector("main");
  const ids = (selector) => [...main.querySelectorAll(selector)].map((element) => element.id);
  let before = "";
  const refresh = async () => {
    try {
      const query = new URLSearchParams(location.search);
      query.set("part", "main");
      const answer = await fetch("/?" + query);
      if (!answer.ok) return;
      const html = await answer.text();
      if (html === before) return;
      const open = ids("details[open]"), known = ids("details");
      const focus = document.activeElement && document.activeElement.id;
      const at = window.scrollY;
      if (before !== "") main.innerHTML = html;
      before = html;
      for (const details of main.querySelectorAll("details"))
        if (known.includes(details.id)) details.open = open.includes(details.id);
      if (focus) document.getElementById(focus)?.focus({preventScroll: true});
      window.scrollTo(0, at);
    } catch { /* The server is gone; it may come back. */ }
  };
  setInterval(() => { if (!document.hidden) refresh(); }, 2000);
})();
)js";

void write_notes(const Step& step, Writer& out) {
  const auto& receipt = step.receipt;
  if (receipt.notes.empty() && receipt.timings.empty() && receipt.tools_left_out.empty()) return;
  out.markup("<section aria-labelledby=h-notes><h2 id=h-notes>Notes</h2>");
  if (!receipt.plan_reason.empty())
    out.markup("<p>Plan: ").name(ctxmgr::plan_reason_in_words(receipt.plan_reason)).markup("</p>");
  out.markup("<ul>");
  for (const auto& note : receipt.notes) out.markup("<li>").name(note).markup("</li>");
  for (const auto& tool : receipt.tools_left_out) out.markup("<li>Tool left out: ").name(tool).markup("</li>");
  out.markup("</ul>");
  if (!receipt.timings.empty()) {
    out.markup("<p class='soft small'>Time of the build:");
    for (const auto& timing : receipt.timings) {
      out.markup(&timing == &receipt.timings.front() ? " " : ", ").words(timing.step).markup("&nbsp;");
      out.number(timing.elapsed.count()).markup("&nbsp;µs");
    }
    out.markup("</p>");
  }
  out.markup("</section>");
}

std::string list_address(const Run& run) {
  const auto& owner = run.conversations.front().owner;
  return owner.empty() ? "/" : "/?owner=" + owner;
}

}  // namespace

const char* content_security_policy() {
  return "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

std::string_view live_script() { return script; }

std::string main_part(const Run& run) {
  Writer out;
  const bool is_one = !run.steps.empty() && !run.conversations.empty();
  out.markup("<header>");
  if (is_one) out.markup("<p class=small><a href='").words(list_address(run)).markup("'>all conversations</a></p>");
  out.markup("<h1>").name(is_one ? title_of(run.conversations.front()) : run.title).markup("</h1>");
  if (run.is_live) out.markup("<p class='soft small' role=status>Live: follows each request.</p>");
  if (!run.notice.empty()) out.markup("<p class=sentence>").words(run.notice).markup("</p>");
  out.markup("</header>");
  if (run.is_shared) {
    out.markup(
        "<section><h2>Several keys or users use this proxy</h2><p>Each sees its own conversations, at the address that "
        "the ");
    out.markup("header <code>x-ctxmgr-page</code> of its answers says.</p></section>");
    return out.take();
  }
  if (run.is_unknown) {
    out.markup(
        "<section><h2>No such conversation</h2><p>None of that name is kept: the page has the newest requests since ");
    out.markup("the proxy was started. <a href='/'>All conversations</a></p></section>");
    return out.take();
  }
  if (run.steps.empty()) {
    run.conversations.empty() ? write_addresses(run, out) : write_conversations(run, out);
    return out.take();
  }
  write_summary(run, out);
  const Step& last = newest_built(run.steps);
  const bool was_built = last.error.empty() || last.receipt.messages_limit > 0;
  if (was_built) write_window(last, out);
  write_notes(last, out);  // Beside the budget that they explain.
  if (run.steps.size() > 1) {
    write_steps(run, out);
    write_prices(run, out);
  }
  if (was_built) write_artifacts(last, out);
  if (run.steps.size() > 1 || !run.steps.back().id.empty()) write_request_table(run, out);
  return out.take();
}

std::string to_html(const Run& run) {
  Writer out;
  out.markup("<!doctype html>\n<html lang=en><head><meta charset=utf-8>");
  if (!run.is_live)
    out.markup("<meta http-equiv=Content-Security-Policy content=\"").words(policy_of_files).markup("\">");
  out.markup("<meta name=viewport content='width=device-width,initial-scale=1'><title>")
      .words(run.title)
      .markup("</title><style>")
      .markup(style)
      .markup("</style></head><body><main>")
      .markup(main_part(run))
      .markup("</main>");
  if (run.is_live) out.markup("<script src=/live.js></script>");
  out.markup("</body></html>\n");
  return out.take();
}

}  // namespace ctxpack::view
