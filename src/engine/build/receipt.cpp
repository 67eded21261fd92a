#include "engine/build/receipt.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/message_number.hpp"
#include "core/messages_limit.hpp"
#include "core/note.hpp"
#include "core/utf8.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/tools/rule_use.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_named_messages = 5;  // Of those that evidence is from.

std::int64_t chars_of(std::string_view text) { return static_cast<std::int64_t>(utf8::count_code_points(text)); }

ArtifactUsageRecord record_of(const Artifact& artifact, std::int64_t original_tokens) {
  ArtifactUsageRecord record;
  record.artifact_id = artifact.artifact_id;
  const bool is_result = artifact.artifact_type == ArtifactType::tool_result;
  record.source = is_result ? provenance_of(artifact) : artifact.source;
  record.artifact_type = artifact.artifact_type;
  record.trust = artifact.trust;
  record.original_size_chars = chars_of(artifact.content);
  record.original_tokens = original_tokens;
  return record;
}

void count(const ArtifactUsageRecord& record, ContextUtilizationMetadata& metadata) {
  ++metadata.artifacts_total;
  if (record.strategy == ProcessingStrategy::include_full)
    ++metadata.artifacts_included;
  else if (record.strategy == ProcessingStrategy::exclude)
    ++metadata.artifacts_excluded;
  else
    ++metadata.artifacts_transformed;
}

class Receipt {
 public:
  explicit Receipt(const ReceiptInput& input)
      : input_(input),
        inputs_(input.build.inputs),
        prepared_(input.build.prepared),
        layout_(input.build.layout),
        outcome_(input.build.outcome),
        filled_(input.verified.filled),
        assembly_(input.verified.assembly),
        suffix_(input.verified.filled.parts.suffix),
        counter_(*input.build.prepared.counter) {}

  ContextUtilizationMetadata make() {
    add_figures();
    add_notes();
    add_breakdown();
    add_records();
    add_costs();
    add_prefix();
    return std::move(metadata_);
  }

 private:
  void add_figures() {
    metadata_.model_name = inputs_.request.models.primary;
    metadata_.strategy = inputs_.request.budget.utilization;
    metadata_.goal = inputs_.context.goal;
    metadata_.model_max_tokens = prepared_.budget.context_window;
    metadata_.budget_tokens = prepared_.budget.max_input + prepared_.budget.tools;
    set_messages_limit(metadata_, prepared_.budget.max_input);
    metadata_.input_tokens_used = input_.verified.tokens;
    metadata_.tools_tokens = prepared_.tools.tokens;
    metadata_.tools_left_out = prepared_.tools.left_out;
    metadata_.fixed_tokens = prepared_.budget.fixed;
    const auto info = counter_.info();
    metadata_.tokens_exact = info.exact && prepared_.counter->knows_media_of(assembly_.messages);
    metadata_.framing_exact = info.framing_exact;
    metadata_.messages_included = assembly_.included;
    metadata_.messages_excluded = inputs_.messages_given() - assembly_.included;
    metadata_.plan_source = outcome_.source;
    metadata_.llm_planning_used = outcome_.source == PlanSource::llm;
    metadata_.plan_reason = outcome_.reason;
    metadata_.plan_repairs = outcome_.repairs;
    metadata_.cache_stats = input_.execution.cache_stats();
  }

  void add_notes() {
    for (const auto& [code, text] : prepared_.notes) note(code, text);
    const auto rules = use_of(inputs_.request.tool_rules, inputs_.context.conversation_history, inputs_.request.tools);
    if (auto idle = note_of_idle(rules); !idle.empty()) note(NoteCode::rules_unused, std::move(idle));
    if (!layout_.embedder_error.empty())
      note(NoteCode::retrieval_lexical, "retrieval is lexical: " + layout_.embedder_error);
    if (const auto compacted = prepared_.thread().first_to_send(); compacted > 0 && suffix_.cut >= compacted)
      note(NoteCode::service_compacted, "the service has compacted the first " + std::to_string(compacted) +
                                            " messages: they are searched, its compaction is sent");
    if (inputs_.request.history.service_compacts_at)
      note(NoteCode::service_will_compact, "the service is to compact by itself from " +
                                               std::to_string(*inputs_.request.history.service_compacts_at) +
                                               " input tokens on");
    if (const auto& compaction = layout_.compaction)
      note(NoteCode::compacted, "compacted: messages " + ranges_of(*compaction) + " are not shown any more, " +
                                    std::to_string(compaction->tokens_before) + " tokens before, " +
                                    std::to_string(compaction->tokens_after) + " after: " + compaction->reason +
                                    words_of_holding(rules));
    for (const auto& text : *inputs_.hook_notes) note(NoteCode::compaction_hook, text);
    if (inputs_.request.compact_now && !layout_.compaction)
      note(NoteCode::not_compacted, std::string("compact_now: nothing was compacted, ") + why_not_compacted());
    if (const auto* const task = shortened_question())
      note(NoteCode::question_shortened, "the last user message was shortened to " + std::to_string(task->tokens) +
                                             " tokens, head and tail: what stands behind it needs the room");
    for (const auto& text : input_.archived.notes()) note(NoteCode::archive_failed, text);
    if (suffix_.extracts.size() > most_kept_extracts)
      note(NoteCode::extracts_forgotten, "of " + std::to_string(suffix_.extracts.size()) +
                                             " results that are sent as extracts, the next " +
                                             "build will know the newest " + std::to_string(most_kept_extracts));
    if (!inputs_.keeps_summaries() && input_.execution.cache_stats().misses > 0)
      note(NoteCode::summaries_not_kept, "the summary store kept no summary of this build: no scope is set");
    if (const auto gone = media_left_out(); gone > 0)
      note(NoteCode::media_left_out,
           std::to_string(gone) + " older messages were sent without their images and files, which they name");
    if (outcome_.llm_plan && !has_room_for(*outcome_.llm_plan))
      note(NoteCode::plan_not_kept,
           "the model's plan is too long to be kept with the thread: the next build may ask again");
    if (counter_.info().faulty)
      note(NoteCode::counter_faulty, "the token counter gave counts that no text has: they were estimated instead");
  }

  void note(NoteCode code, std::string text) { add_note(metadata_, code, std::move(text)); }

  [[nodiscard]] const char* why_not_compacted() const {
    if (inputs_.request.thread_state.opaque.empty()) return "since the request has no thread state of a build before";
    if (!prepared_.previous) return "since the thread state was not used";
    if (prepared_.previous->max_input != prepared_.budget.max_input)
      return "since the thread state is not of this thread with this budget";
    if (!prepared_.gathered.question) return "since there is no question";
    return "since requests of a chat in so small a room are made one by one";
  }

  /// By a compaction that left it among the task.
  [[nodiscard]] const TaskMessage* shortened_question() const {
    const auto& task = filled_.parts.head.task;
    const auto found = std::find_if(task.begin(), task.end(), [this](const TaskMessage& message) {
      return !message.whole && message.message == prepared_.gathered.question;
    });
    return found == task.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::size_t media_left_out() const {
    std::size_t gone = 0;
    const auto end = std::min(suffix_.images_from, prepared_.thread().size());
    for (std::size_t i = suffix_.cut; i < end; ++i)
      if (prepared_.suffixes->is_without_images(i, suffix_) && prepared_.views->without_images(i).shorter) ++gone;
    return gone;
  }

  void add_breakdown() {
    auto& breakdown = metadata_.breakdown;
    breakdown.overhead_tokens = input_.verified.tokens;
    for (std::size_t i = 0; i < assembly_.messages.size(); ++i) {
      const auto tokens = counter_.count_message(assembly_.messages[i]);
      message_tokens_.push_back(tokens);
      breakdown.overhead_tokens -= tokens;
      const auto& found = assembly_.evidence_at;
      if (i == assembly_.block_at || i == assembly_.steps_at ||
          std::find(found.begin(), found.end(), i) != found.end()) {
        breakdown.artifact_tokens += tokens;
        continue;
      }
      const auto& behind = assembly_.behind_at;
      if (i == assembly_.notes_at || i == assembly_.room_line_at ||
          std::find(behind.begin(), behind.end(), i) != behind.end()) {
        breakdown.notes_tokens += tokens;
        continue;
      }
      switch (assembly_.messages[i].role) {
        case Role::system:
        case Role::developer: breakdown.system_tokens += tokens; break;
        case Role::user: breakdown.user_tokens += tokens; break;
        case Role::assistant: breakdown.assistant_tokens += tokens; break;
        case Role::tool: breakdown.tool_tokens += tokens; break;
      }
    }
  }

  /// One record for each artifact, for the messages before the cut, and for each result that was shortened in place.
  void add_records() {
    auto& records = metadata_.artifacts_processed;
    const auto artifacts = prepared_.gathered.items.size();
    for (std::size_t i = 0; i < artifacts; ++i) records.push_back(item_record(i));
    for (const auto& item : prepared_.gathered.inline_items) records.push_back(inline_record(item));
    if (outcome_.older) records.push_back(older_record());
    add_shortened_results();
    for (const auto& record : records) count(record, metadata_);
  }

  ArtifactUsageRecord item_record(std::size_t i) const {
    const auto& item = outcome_.items[i];
    const auto& text = filled_.texts[i];
    auto record = record_of(*item.artifact, item.tokens);
    if (!is_whole(filled_, item, i)) record.reference = input_.archived.references()[i];
    record.reason = text.reason.empty() ? outcome_.decisions[i].relevance_rationale : text.reason;
    const auto* shown = shown_text(filled_, item, i);
    if (shown == nullptr) {
      if (text.strategy != ProcessingStrategy::exclude) record.reason = "left out to fit the budget";
      return record;
    }
    record.strategy = text.strategy;
    record.processed_size_chars = chars_of(*shown);
    record.processed_tokens = text.tokens;
    record.cache_hit = text.cache_hit;
    return record;
  }

  bool is_fixed(std::size_t message) const {
    return prepared_.suffixes->is_fixed(prepared_.thread().group_of(message));
  }

  /// An inline artifact is what its message is.
  ArtifactUsageRecord inline_record(const Item& item) const {
    auto record = record_of(*item.artifact, prepared_.thread().tokens_of(item.message));
    const bool fixed = is_fixed(item.message);
    const auto& group = prepared_.thread().groups()[prepared_.thread().group_of(item.message)];
    const bool sent = fixed || (item.message >= suffix_.cut && !suffix_.is_dropped(group));
    const auto extract = suffix_.extracts.find(item.message);
    const bool extracted = extract != suffix_.extracts.end();
    const ShortenedMessage* shown = nullptr;
    if (sent && !fixed && extracted) shown = &prepared_.views->extracted(item.message, extract->second);
    const bool shortened = shown != nullptr && shown->shorter;
    record.reason = "inline: it is the message at position " + std::to_string(item.message);
    record.strategy = !sent        ? ProcessingStrategy::exclude
                      : !shortened ? ProcessingStrategy::include_full
                                   : ProcessingStrategy::rag_extract;
    if (!sent) return record;
    record.processed_tokens = shortened ? shown->tokens : record.original_tokens;
    record.processed_size_chars = shortened ? chars_of(text_of(shown->message)) : record.original_size_chars;
    if (shortened) record.reference = shown->reference;
    return record;
  }

  ArtifactUsageRecord older_record() const {
    const auto last = outcome_.items.size() - 1;
    const auto& item = outcome_.items[last];
    const auto& text = filled_.texts[last];
    auto record = record_of(*item.artifact, item.tokens);
    const auto* shown = shown_text(filled_, item, last);
    record.reason = "messages before the newest part of the history" + evidence_of_cut();
    for (const auto& evidence : filled_.parts.evidence) {
      if (!is_of_cut(evidence.made)) continue;
      record.strategy = ProcessingStrategy::rag_extract;
      record.processed_size_chars += chars_of(text_of(evidence.message));
      record.processed_tokens += evidence.tokens;
    }
    if (shown == nullptr) return record;
    const bool summary = text.strategy == ProcessingStrategy::summarize;
    record.strategy = summary ? ProcessingStrategy::summarize : ProcessingStrategy::rag_extract;
    record.processed_size_chars += chars_of(*shown);
    record.processed_tokens += counter_.count(*shown);
    if (summary) record.cache_hit = text.cache_hit;
    return record;
  }

  [[nodiscard]] bool is_of_cut(const ThreadEvidence& evidence) const {
    return std::any_of(evidence.pieces.begin(), evidence.pieces.end(),
                       [this](const EvidencePiece& piece) { return piece.message < suffix_.cut; });
  }

  /// Whose the passages are that stand as evidence. Empty where there are none.
  [[nodiscard]] std::string evidence_of_cut() const {
    std::set<std::int64_t> numbers;
    for (const auto& shown : filled_.parts.evidence)
      for (const auto& piece : shown.made.pieces)
        if (piece.message < suffix_.cut)
          numbers.insert(number_of(inputs_.context.conversation_history[piece.message], piece.message));
    if (numbers.empty()) return {};
    std::string text = "; evidence is from";
    std::size_t named = 0;
    for (const auto number : numbers) {
      if (named++ == most_named_messages) break;
      text += " [" + std::to_string(number) + "]";
    }
    if (numbers.size() > most_named_messages)
      text += " and " + std::to_string(numbers.size() - most_named_messages) + " more";
    return text;
  }

  void add_shortened_results() {
    const auto& messages = inputs_.context.conversation_history;
    for (const auto& [i, most] : suffix_.extracts) {
      if (i < suffix_.cut || i >= messages.size() || messages[i].role != Role::tool || is_fixed(i)) continue;
      const auto& inlined = prepared_.gathered.inline_items;
      const bool listed = std::any_of(inlined.begin(), inlined.end(),
                                      [message = i](const Item& item) { return item.message == message; });
      const auto& shown = prepared_.views->extracted(i, most);
      if (listed || !shown.shorter) continue;
      auto record = record_of(artifact_of_message(messages, i), prepared_.thread().tokens_of(i));
      record.strategy = ProcessingStrategy::rag_extract;
      record.processed_size_chars = chars_of(text_of(shown.message));
      record.processed_tokens = shown.tokens;
      record.reference = shown.reference;
      record.reason = "too large for its place: extracted";
      metadata_.artifacts_processed.push_back(std::move(record));
    }
  }

  void add_costs() {
    const auto& options = inputs_.services->options;
    const auto& models = inputs_.request.models;
    metadata_.planning_usage = {outcome_.usage, input_.execution.usage(), layout_.embedder_usage};
    const auto price = [&](const UsageMetadata& usage, const std::string& model) {
      return cost_of(usage, options.catalog.find(model)).total_cost_usd();
    };
    metadata_.planning_cost = {price(outcome_.usage, models.context_planner),
                               price(input_.execution.usage(), models.summarizer),
                               price(layout_.embedder_usage, options.embedding_model)};
    metadata_.thread_planning_tokens = input_.remembered.planning_tokens;
    metadata_.thread_planning_usd = static_cast<double>(input_.remembered.planning_nano_usd) * 1e-9;
    metadata_.include_all_tokens = tokens_of_everything();
    UsageMetadata all;
    all.prompt_tokens = metadata_.include_all_tokens;
    metadata_.include_all_cost_usd = cost_of(all, prepared_.model).total_cost_usd();
  }

  /// The fixed parts and the steps without their results are what the room was left by. Headers differ a little by what
  /// becomes of an artifact: where everything was included, the count is known.
  std::int64_t tokens_of_everything() const {
    const bool everything = layout_.everything && !input_.verified.stepped_down && prepared_.skipped_steps == 0 &&
                            filled_.parts.skipped_steps == 0;
    if (everything && metadata_.artifacts_included == metadata_.artifacts_total) return input_.verified.tokens;
    auto tokens = prepared_.budget.max_input - prepared_.room + prepared_.suffixes->everything().tokens;
    if (!prepared_.gathered.items.empty()) tokens += prepared_.overhead_tokens;
    for (const auto& item : prepared_.gathered.items) tokens += item.tokens + item.header_tokens;
    return tokens;
  }

  void add_prefix() {
    const auto& messages = assembly_.messages;
    Fingerprint stable;
    for (std::size_t i = 0; i < assembly_.stable; ++i) stable = message_fingerprint(messages[i], stable);
    metadata_.prefix_fingerprint = stable.hex();
    const auto kept = prepared_.previous ? messages_kept(prepared_.previous->sent, input_.remembered.sent) : 0;
    for (std::size_t i = 0; i < kept; ++i) metadata_.prefix_tokens_kept += message_tokens_[i];
    metadata_.compaction = layout_.compaction;
    if (metadata_.compaction) metadata_.compaction->prefix_tokens_kept = metadata_.prefix_tokens_kept;
    const auto last = assembly_.room_line_at.value_or(messages.size());  // The next request does not have that line.
    for (const auto end : {assembly_.leading, assembly_.stable, last}) {
      if (end > 0 && (metadata_.cache_breakpoints.empty() || metadata_.cache_breakpoints.back() < end - 1))
        metadata_.cache_breakpoints.push_back(end - 1);
    }
  }

  const ReceiptInput& input_;
  const BuildInputs& inputs_;
  const Prepared& prepared_;
  const Layout& layout_;
  const PlanOutcome& outcome_;
  const Filled& filled_;
  const Assembly& assembly_;
  const Suffix& suffix_;
  const TokenCounter& counter_;
  std::vector<std::int64_t> message_tokens_;  ///< Of what is sent.
  ContextUtilizationMetadata metadata_;
};

}  // namespace

std::string ranges_of(const CompactionReport& compaction) {
  constexpr std::size_t most = 8;
  const auto& ranges = compaction.messages;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranges.size(), most); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(ranges[i].first);
    if (ranges[i].last > ranges[i].first) text += "-" + std::to_string(ranges[i].last);
  }
  if (ranges.size() > most) text += " and " + std::to_string(ranges.size() - most) + " more ranges";
  return text.empty() ? "none" : text;
}

ContextUtilizationMetadata make_receipt(const ReceiptInput& input) { return Receipt(input).make(); }

}  // namespace ctxmgr::engine
