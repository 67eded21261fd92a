#include <ctime>
#include <string_view>

#include "ctxmgr/core/receipt_words.hpp"
#include "view/called.hpp"
#include "view/conversations.hpp"
#include "view/parts.hpp"
#include "view/window.hpp"

namespace ctxpack::view {
namespace {

using ctxmgr::ArtifactUsageRecord;
using ctxmgr::ProcessingStrategy;

enum class Fate { whole, shortened, left_out };

Fate fate_of(const ArtifactUsageRecord& record) {
  if (record.strategy == ProcessingStrategy::include_full) return Fate::whole;
  return record.strategy == ProcessingStrategy::exclude ? Fate::left_out : Fate::shortened;
}

struct Group {
  Fate fate;
  const char* id;
  const char* title;
};
constexpr Group groups[] = {{Fate::shortened, "d-shortened", "Sent in part"},
                            {Fate::whole, "d-whole", "Sent whole"},
                            {Fate::left_out, "d-out", "Left out"}};

void write_artifact_row(const ArtifactUsageRecord& record, Writer& out) {
  // What somebody called tells more than a number.
  const bool is_named = !record.source.empty() && record.source != record.artifact_id;
  out.markup("<tr><td data-l=what class=id><span>").name(is_named ? called(record.source) : record.artifact_id);
  if (is_named) out.markup("<br><span class='soft small'>").name(record.artifact_id).markup("</span>");
  out.markup("</span><td data-l=form><span class=chip>").markup(ctxmgr::form_in_words(record)).markup("</span>");
  out.markup("<td data-l=tokens class=n>").number(record.original_tokens);
  out.markup("<td data-l=sent class=n>").number(record.processed_tokens);
  out.markup("<td data-l=why class=why><span>").name(record.reason);
  if (record.cache_hit) out.markup(" (from the summaries that are kept)");
  out.markup("</span><td data-l=handle class=id>");
  if (!record.reference.empty()) out.markup("<code>").name(record.reference).markup("</code>");
  out.markup("</tr>");
}

/// A long table is laid out once it is seen. A short one is at once, so that the page keeps its length.
std::string_view frame_of(std::int64_t rows) {
  constexpr std::int64_t few = 40;
  return rows > few ? "<div class='scroll rows'>" : "<div class=scroll>";
}

void write_group(const Group& group, const std::vector<ArtifactUsageRecord>& records, Writer& out) {
  std::int64_t count = 0;
  std::int64_t tokens = 0;
  std::int64_t sent = 0;
  for (const auto& record : records) {
    if (fate_of(record) != group.fate) continue;
    ++count;
    tokens += record.original_tokens;
    sent += record.processed_tokens;
  }
  if (count == 0) return;
  constexpr std::int64_t opened = 40;
  out.markup("<details id=").markup(group.id).markup(count <= opened ? " open>" : ">");
  out.markup("<summary id=s-").markup(group.id).markup(">").markup(group.title).markup(": ").number(count);
  out.markup(" <span class=soft>(").number(tokens).markup(" tokens, ").number(sent).markup(" of them sent)</span>");
  out.markup("</summary>").markup(frame_of(count));
  out.markup("<table class=stack><thead><tr><th>what<th>form<th class=n>tokens<th class=n>sent");
  out.markup("<th>why<th>handle</tr></thead><tbody>");
  for (const auto& record : records) {
    if (fate_of(record) == group.fate) write_artifact_row(record, out);
  }
  out.markup("</tbody></table></div></details>");
}

std::string clock_time_of(const Step& step) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(step.time);
  std::tm parts{};
  char text[32] = "";
  if (seconds <= 0 || gmtime_r(&seconds, &parts) == nullptr) return "—";
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

void write_request(const Step& step, Writer& out) {
  const Window window = window_of(step.receipt);
  out.markup("<tr><td data-l='time (UTC)'>").words(clock_time_of(step)).markup("<td data-l=receipt class=id><code>");
  out.words(step.id).markup("</code><td data-l=answer class=n>");
  if (step.status != 0) out.number(step.status);
  out.markup("<td data-l=tokens class=n>").number(window.used()).markup("<td data-l=budget class=n>");
  out.number(window.total())
      .markup("<td data-l=everything class=n>")
      .number(step.receipt.include_all_tokens + step.receipt.tools_tokens);
  out.markup("<td data-l=cached class=n>").number(step.cached_tokens).markup("<td data-l=price class=n>");
  out.words(usd(step.cost_usd)).markup("<td data-l=ms class=n>").number(step.took.count());
  if (const auto& compaction = step.receipt.compaction) {
    out.markup("<tr><td colspan=9 class=soft>Compacted, since ").words(compaction->reason).markup(": ");
    out.number(compaction->tokens_before).markup(" tokens of the conversation became ");
    out.number(compaction->tokens_after).markup(".");
  }
  if (const auto missed = words_of_miss(step); !missed.empty())
    out.markup("<tr><td colspan=9 class=soft>").words(missed);
  if (step.summaries.are_there())
    out.markup("<tr><td colspan=9 class=soft>summaries made after it: ").words(words_of(step.summaries));
  if (!step.error.empty()) out.markup("<tr><td colspan=9 class=bad>").words(step.error);
}

}  // namespace

void write_artifacts(const Step& step, Writer& out) {
  const auto& records = step.receipt.artifacts_processed;
  out.markup("<section aria-labelledby=h-artifacts><h2 id=h-artifacts>What became of each document and result</h2>");
  if (records.empty())
    out.markup("<p class=soft>There were no documents, tool results or older messages to decide on.</p>");
  for (const Group& group : groups) write_group(group, records, out);
  out.markup("</section>");
}

void write_request_table(const Run& run, Writer& out) {
  out.markup(
      "<section aria-labelledby=h-requests><h2 id=h-requests>Requests</h2><details id=d-requests><summary "
      "id=s-d-requests>");
  const auto requests = static_cast<std::int64_t>(run.steps.size());
  out.number(requests).markup(" requests, newest first</summary>").markup(frame_of(requests));
  out.markup(
      "<table class=stack><thead><tr><th>time (UTC)<th>receipt<th class=n>answer<th class=n>tokens<th class=n>budget");
  out.markup("<th class=n>everything<th class=n>cached<th class=n>price<th class=n>ms</tr></thead><tbody>");
  for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step) write_request(*step, out);
  out.markup("</tbody></table></div></details></section>");
}

}  // namespace ctxpack::view
