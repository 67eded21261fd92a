#include <algorithm>
#include <ctime>

#include "view/conversations.hpp"
#include "view/parts.hpp"

namespace ctxpack::view {
namespace {

std::string time_of(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  char text[40] = "";
  if (seconds <= 0 || gmtime_r(&seconds, &parts) == nullptr) return "—";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

/// In an address.
std::string encoded(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    if (is_plain)
      out += c;
    else
      (out += '%').append(1, digits[byte / 16]).append(1, digits[byte % 16]);
  }
  return out;
}

void write_row(const Conversation& conversation, Writer& out) {
  const auto owner = conversation.owner.empty() ? std::string() : "&owner=" + encoded(conversation.owner);
  const auto name = short_name(conversation.thread);
  out.markup("<tr><td data-l=conversation class=id>");
  if (name.empty()) {
    out.markup("refused, of no conversation");  // There is no page of it.
  } else {
    out.markup("<a href='/?thread=").words(encoded(name) + owner);
    out.markup("' id='c-").words(encoded(name)).markup("'>");
    out.name(title_of(conversation)).markup("</a>");
    if (!conversation.first_words.empty()) out.markup("<br><span class='soft small'>").name(name).markup("</span>");
  }
  out.markup("<td data-l=model class=id>").name(conversation.model.empty() ? "—" : conversation.model);
  out.markup("<td data-l=requests class=n>").number(conversation.requests);
  out.markup("<td data-l='window filled' class=n>");
  out.words(percent(static_cast<double>(conversation.used), static_cast<double>(conversation.budget)));
  out.markup("<td data-l='not sent' class=n>");
  const auto left_out = std::max<std::int64_t>(0, conversation.everything - conversation.sent);
  out.words(percent(static_cast<double>(left_out), static_cast<double>(conversation.everything)));
  out.markup("<td data-l=saved class=n>").words(usd(conversation.saved_usd));
  out.markup("<td data-l='last seen' class=n>").words(time_of(conversation.last));
}

}  // namespace

void write_conversations(const Run& run, Writer& out) {
  out.markup("<section aria-labelledby=h-list><h2 id=h-list>");
  out.number(static_cast<std::int64_t>(run.conversations.size()));
  out.markup(run.conversations.size() == 1 ? " conversation" : " conversations, the newest first");
  out.markup("</h2><div class=scroll><table class=stack><thead><tr><th>conversation<th>model");
  out.markup("<th class=n>requests<th class=n>window filled<th class=n>not sent<th class=n>saved<th class=n>last seen");
  out.markup("</tr></thead><tbody>");
  for (const auto& conversation : run.conversations) write_row(conversation, out);
  out.markup(
      "</tbody></table></div><p class='soft small'>Of the last request of each: how much of its budget it fills, and "
      "how ");
  out.markup("much of the conversation is not sent. Saved: over all of its requests, against sending everything");
  const auto with = [&](const auto& has) {
    return std::any_of(run.conversations.begin(), run.conversations.end(), has);
  };
  if (with([](const auto& one) { return one.summaries.usd.has_value(); }))
    out.markup("; the price of summaries is taken off");
  out.markup(".");
  if (with([](const auto& one) { return one.summaries.are_there() && !one.summaries.usd; }))
    out.markup(" Of some summaries the price is not known: it is not taken off.");
  out.markup("</p></section>");
}

void write_addresses(const Run& run, Writer& out) {
  out.markup("<section><h2>Nothing yet</h2><p>No request has been sent.");
  if (run.address.empty()) {
    out.markup(" The window is empty.</p></section>");
    return;
  }
  out.markup(
      " Give your agent this address, in place of that of its service:</p><dl class=addresses><dt>OpenAI's form");
  out.markup("<dd><code>OPENAI_BASE_URL=").words(run.address).markup("/v1</code><dt>Anthropic's form<dd><code>");
  out.markup("ANTHROPIC_BASE_URL=")
      .words(run.address)
      .markup("</code></dl><p class=soft>This page shows each request as it ");
  out.markup("comes.</p></section>");
}

}  // namespace ctxpack::view
