#include <algorithm>
#include <array>

#include "core/enum_tables.hpp"
#include "core/utf8.hpp"
#include "core/worded.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/receipt_words.hpp"

namespace ctxmgr {
namespace {

using Row = std::array<std::string, 5>;

/// Characters that move the cursor, reverse the line or hide: names come from outside and are printed on terminals.
bool is_unprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

/// One line of printable text, cut to a number of code points.
std::string cell(std::string_view text, std::size_t max_chars) {
  std::string out;
  std::size_t chars = 0;
  for (std::size_t pos = 0; pos < text.size(); ++chars) {
    const utf8::CodePoint point = utf8::decode(text, pos);
    pos += point.bytes;
    const bool is_last = chars + 1 == max_chars;
    utf8::append(out, is_last && pos < text.size() ? U'…' : is_unprintable(point.value) ? U'?' : point.value);
    if (is_last) break;
  }
  return out;
}

/// 1234567 as "1 234 567".
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t pos = digits.size(); pos > first + 3; pos -= 3) digits.insert(pos - 3, 1, ' ');
  return digits;
}

/// Nothing where it is zero: there was no call, or there is no price.
std::string cost(double usd) { return usd > 0 ? ", $" + decimals(usd, 6) : std::string(); }

void append_aligned(std::string& out, const std::string& text, std::size_t width, bool is_number) {
  const std::size_t length = utf8::count_code_points(text);
  const std::string padding(width - std::min(width, length), ' ');
  out += is_number ? padding + text : text + padding;
}

std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], utf8::count_code_points(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += "  ";
      append_aligned(line, row[i], widths[i], i == 2 || i == 3);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string artifact_rows(const ContextUtilizationMetadata& metadata, bool excluded) {
  std::vector<Row> rows;
  for (const ArtifactUsageRecord& record : metadata.artifacts_processed) {
    if ((record.strategy == ProcessingStrategy::exclude) != excluded) continue;
    std::string reason = cell(record.reason, 100);
    if (record.cache_hit) reason += reason.empty() ? "cached" : " (cached)";
    rows.push_back({cell(record.artifact_id, 48), std::string(form_in_words(record)), grouped(record.original_tokens),
                    grouped(record.processed_tokens), std::move(reason)});
  }
  if (rows.empty()) return {};
  rows.insert(rows.begin(), {"artifact", "form", "tokens", "sent", "why"});
  return table(rows);
}

std::string_view counted_how(const ContextUtilizationMetadata& metadata) {
  if (!metadata.tokens_exact) return "estimated";
  return metadata.framing_exact ? "counted exactly" : "text counted exactly, framing estimated";
}

std::string budget_lines(const ContextUtilizationMetadata& metadata) {
  const double share = metadata.messages_limit > 0 ? 100.0 * static_cast<double>(metadata.input_tokens_used) /
                                                         static_cast<double>(metadata.messages_limit)
                                                   : 0;
  const TokenBreakdown& by_kind = metadata.breakdown;
  return worded(
      "{}: {} of {} tokens ({} %, {})\n"
      "  window {}, tools {}, fixed parts {}, goal {}, utilization {}\n"
      "  system {}, user {}, assistant {}, tool {}, artifacts {}, notes {}, overhead {}\n"
      "  messages: {} sent, {} left out\n"
      "  artifacts: {} = {} whole + {} shortened + {} left out\n",
      cell(metadata.model_name.empty() ? "model not named" : metadata.model_name, 80),
      grouped(metadata.input_tokens_used), grouped(metadata.messages_limit), decimals(share, 1), counted_how(metadata),
      grouped(metadata.model_max_tokens), grouped(metadata.tools_tokens), grouped(metadata.fixed_tokens),
      enum_name(metadata.goal), enum_name(metadata.strategy), grouped(by_kind.system_tokens),
      grouped(by_kind.user_tokens), grouped(by_kind.assistant_tokens), grouped(by_kind.tool_tokens),
      grouped(by_kind.artifact_tokens), grouped(by_kind.notes_tokens), grouped(by_kind.overhead_tokens),
      metadata.messages_included, metadata.messages_excluded, metadata.artifacts_total, metadata.artifacts_included,
      metadata.artifacts_transformed, metadata.artifacts_excluded);
}

std::string tool_lines(const ContextUtilizationMetadata& metadata) {
  if (metadata.tools_left_out.empty()) return {};
  return worded("  tools left out: {}\n", cell(joined(metadata.tools_left_out, ", "), 400));
}

/// Beside the figures that they explain.
std::string note_lines(const ContextUtilizationMetadata& metadata) {
  std::string out;
  for (const std::string& note : metadata.notes) out += worded("Note: {}\n", cell(note, 200));
  return out;
}

std::string_view plan_source_in_words(PlanSource source) {
  switch (source) {
    case PlanSource::none: return "none is needed";
    case PlanSource::deterministic: return "deterministic";
    case PlanSource::llm: return "a model's";
    case PlanSource::kept: return "that of the turn before";
    case PlanSource::given: return "the caller's";
  }
  return "unknown";
}

std::string plan_lines(const ContextUtilizationMetadata& metadata) {
  std::string out = worded("\nPlan: {}", plan_source_in_words(metadata.plan_source));
  if (!metadata.plan_reason.empty()) out += worded(" ({})", cell(plan_reason_in_words(metadata.plan_reason), 200));
  out += '\n';
  for (const std::string& repair : metadata.plan_repairs) out += worded("  repaired: {}\n", cell(repair, 200));
  return out;
}

std::string cost_lines(const ContextUtilizationMetadata& metadata) {
  const UsageMetadata used = metadata.planning_usage.total();
  std::string out =
      worded("\nPlanning: {} calls, {} tokens{}; cache {} hits, {} misses\n", used.calls, grouped(used.total_tokens()),
             cost(metadata.planning_cost.total_cost_usd()), metadata.cache_stats.hits, metadata.cache_stats.misses);
  if (metadata.thread_planning_tokens > used.total_tokens()) {
    out += worded("Planning of the thread so far: {} tokens{}\n", grouped(metadata.thread_planning_tokens),
                  cost(metadata.thread_planning_usd));
  }
  if (metadata.include_all_tokens > 0) {
    out += worded("Everything in full: {} tokens{}\n", grouped(metadata.include_all_tokens),
                  cost(metadata.include_all_cost_usd));
  }
  if (const auto& compaction = metadata.compaction) {
    out += worded("Compacted: {} tokens before, {} after ({})\n", grouped(compaction->tokens_before),
                  grouped(compaction->tokens_after), cell(compaction->reason, 80));
  }
  if (metadata.prefix_tokens_kept > 0) {
    out += worded("Prefix kept from the turn before: {} tokens\n", grouped(metadata.prefix_tokens_kept));
  }
  return out;
}

}  // namespace

std::string explain(const ContextUtilizationMetadata& metadata) {
  std::string out = budget_lines(metadata) + tool_lines(metadata) + note_lines(metadata) + plan_lines(metadata);
  const std::string sent = artifact_rows(metadata, false);
  const std::string left_out = artifact_rows(metadata, true);
  if (!sent.empty()) out += "\nSent\n" + sent;
  if (!left_out.empty()) out += "\nLeft out\n" + left_out;
  out += cost_lines(metadata);
  if (!metadata.timings.empty()) {
    out += "Time:";
    for (const StepTiming& timing : metadata.timings) {
      out +=
          worded(" {} {} ms", cell(timing.step, 20), decimals(static_cast<double>(timing.elapsed.count()) / 1000, 1));
    }
    out += '\n';
  }
  return out;
}

}  // namespace ctxmgr
