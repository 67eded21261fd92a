#include "engine/build/layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ctxmgr/engine/tool_search.hpp"
#include "engine/build/evidence_wanted.hpp"
#include "engine/build/growth.hpp"
#include "engine/build/layout_search.hpp"
#include "engine/build/prepared_summaries.hpp"
#include "engine/history/share.hpp"
#include "engine/selection/embedding_run.hpp"
#include "engine/selection/query.hpp"
#include "engine/words/asking.hpp"

namespace ctxmgr::engine {
namespace {

/// Of the room, what the newest turns get in a single request before evidence is chosen, or an extract of the newest result.
constexpr double one_shot_newest_share = 0.25;
/// The same in a chat whose question says by itself what it asks: then each passage may answer, and the newest turns least of all.
constexpr double beside_question_share = 0.1;

/// The newest result of running steps is what the agent is about to act on; as much is left for what else it needs.
constexpr double one_shot_result_share = 0.5;

constexpr double one_shot_whole_share = 0.5;

/// Of the room, what the thread began with in a single request; and of what the newest turns leave, this and the user's words each.
constexpr double beginning_share = 1.0 / 3;
constexpr double most_of_rest = 0.5;

/// Of the room, what the user said of a single request's hidden messages: in an agent's thread all, in a chat the rules; so many tokens
/// in a small room, but not more than a share of it.
constexpr double single_words_share = 0.15;
constexpr std::int64_t least_rules = 160;
constexpr double most_rules_share = 0.25;

/// "Make it shorter": the answer before the question, which is whole where it fits into this.
constexpr double referred_share = 0.75;

/// Services cache no beginning that is shorter. In so little room a chat has nothing from repeating one, and each of its requests
/// is made by itself, since that finds more.
constexpr std::int64_t least_cached = 1'024;

/// In less, hardly more of a beginning stays than services cache at all.
constexpr std::int64_t least_growing_room = 4 * least_cached;

/// What each way of sharing the room looks at. Nothing of it changes.
struct SharingTerms {
  const LayoutInput& input;
  const Prepared& prepared;
  const HistoryPolicy& policy;
  const PreviousBuild* previous = nullptr;  ///< The build before, where it was for this budget.
  bool is_loop = false;                     ///< An agent works in it: there are tools, calls or observations.
  bool goes_on = false;                     ///< Something stands after the question.
  std::int64_t artifact_tokens = 0;         ///< All artifacts whole, with headers and the block around them.

  [[nodiscard]] const Context& context() const { return input.inputs.context; }
  [[nodiscard]] SuffixPlanner& suffixes() const { return *prepared.suffixes; }
};

SharingTerms terms_of(const LayoutInput& input) {
  const auto& prepared = input.prepared;
  SharingTerms terms{input, prepared, input.inputs.request.history};
  if (prepared.previous && prepared.previous->max_input == prepared.budget.max_input)
    terms.previous = &*prepared.previous;
  terms.is_loop = !input.inputs.request.tools.empty() || prepared.thread().roles().is_loop();
  terms.goes_on = prepared.gathered.question && *prepared.gathered.question + 1 < prepared.thread().size();
  for (const auto& item : prepared.gathered.items) terms.artifact_tokens += item.tokens + item.header_tokens;
  if (terms.artifact_tokens > 0) terms.artifact_tokens += prepared.overhead_tokens;
  return terms;
}

std::shared_ptr<EmbeddingRun> embeddings_for(const BuildInputs& inputs) {
  auto& services = *inputs.services;
  if (auto* const embedder = services.options.embedder.get(); embedder != nullptr && !inputs.is_dry())
    return std::make_shared<EmbeddingRun>(*embedder, services.vectors, inputs.call);
  return nullptr;
}

/// A thread that goes on, as its state says, or as steps show: those that follow the question, or an agent's before it.
bool grows(const SharingTerms& terms) {
  if (!terms.prepared.gathered.question) return false;
  if (!terms.is_loop && terms.prepared.total_room <= least_cached) return false;
  const bool works = terms.goes_on || terms.prepared.thread().roles().is_loop();
  return terms.previous != nullptr || (works && terms.prepared.total_room >= least_growing_room);
}

/// What every way begins with: which turn it is, and what its question refers to.
Layout begin(const SharingTerms& terms) {
  const auto& gathered = terms.prepared.gathered;
  Layout layout;
  layout.turn = terms.prepared.artifacts().turn(gathered.searched, terms.context().goal);
  layout.same_question = terms.previous != nullptr && terms.previous->question == layout.turn;
  // Where the next request repeats this one: the same passages for the same question, whatever was said since.
  layout.hinted_by = layout.same_question            ? terms.previous->hinted_by
                     : terms.goes_on && grows(terms) ? *gathered.question + 1
                                                     : terms.prepared.thread().size();
  layout.hints = hints_of(terms.context(), gathered, layout.hinted_by);
  return layout;
}

/// Why, where it is not full: for the host, by a call of the model's since the build before, or of pins that filled it.
const char* wants_compaction(const SharingTerms& terms) {
  if (terms.previous == nullptr) return nullptr;
  const auto& messages = terms.context().conversation_history;
  const auto asks = [](const ToolCall& call) { return call.name == compact_context_name; };
  if (terms.input.inputs.request.compact_now) return "the host asked for it";
  const bool model_asks = std::any_of(messages.begin() + static_cast<std::ptrdiff_t>(terms.previous->messages),
                                      messages.end(), [&asks](const ConversationMessage& message) {
                                        return std::any_of(message.tool_calls.begin(), message.tool_calls.end(), asks);
                                      });
  if (model_asks) return "the model asked for it";
  return terms.prepared.pins_gave_way ? "pinned messages gave way" : nullptr;
}

/// A compaction uses the summaries there are, and so does a thread that begins anew; until the next the notes stay as they are.
Layout with_summaries(const SharingTerms& terms, Layout layout) {
  const auto* const previous = terms.previous;
  const bool begins_anew = previous == nullptr && terms.prepared.previous && terms.prepared.previous->max_input == 0;
  if ((previous == nullptr && !begins_anew) || layout.head_room.notes == 0) return layout;
  if (layout.compaction || begins_anew) {
    layout.summaries = find_summaries(terms.input, layout.suffix.cut);
    return layout;
  }
  layout.summaries = summaries_again(terms.input, previous->summaries);
  layout.lost_summaries = layout.summaries.size() < previous->summaries.size();
  return layout;
}

/// What stands before the kept history of a thread that was compacted.
ThreadHead head_of(const SharingTerms& terms, const Layout& layout, GrownThread thread, std::int64_t most_notes) {
  auto& known = terms.input.known;
  auto head = make_head({terms.context().conversation_history, known.analysis, known.memo, *terms.prepared.counter,
                         thread.head.room, terms.policy.notes_share > 0, thread.head.task, most_notes,
                         terms.prepared.handles.get(), thread.compacted_at, thread.kept, layout.summaries},
                        thread.cut);
  head.kept = std::move(thread.kept);
  head.behind = std::move(thread.behind);
  head.tokens += thread.kept_tokens + thread.behind_tokens;
  // The question counts among the fixed parts.
  for (const auto& task : head.task)
    if (task.message == terms.prepared.gathered.question)
      head.tokens -= terms.prepared.thread().tokens_of(task.message);
  return head;
}

/// The suffix of a grown thread.
Suffix suffix_of(const SharingTerms& terms, const GrownThread& thread) {
  Suffix suffix{thread.cut, 0, thread.extracts};
  suffix.dropped = thread.steering.rules.dropped;
  suffix.reasoning_before = thread.steering.reasoning_before;
  return terms.suffixes().again(std::move(suffix));
}

/// What a selection really takes of the block.
std::int64_t taken_by(const SharingTerms& terms, const Layout& layout, const std::optional<LayoutSearch>& found) {
  if (!selects(terms.input)) return std::min(layout.block_tokens, terms.artifact_tokens);
  if (!found || (found->selection.chosen.empty() && terms.artifact_tokens == 0)) return 0;
  const auto frame = layout.block_tokens - select_room(terms.input, layout.block_tokens);
  return std::min(layout.block_tokens, std::max(found->selection.tokens, least_block_tokens) + frame);
}

/// What documents of the request take of a thread that goes on: as much as speaks of the question. Where the build before made their
/// block for the same question, it stays as it was.
std::int64_t wanted_documents(const SharingTerms& terms, Layout layout, MessageTexts& texts) {
  if (terms.artifact_tokens == 0 || !selects(terms.input)) return terms.artifact_tokens;
  if (layout.same_question && terms.previous->block_tokens > 0) return terms.artifact_tokens;
  layout.grows = true;
  layout.block_tokens = std::min(terms.artifact_tokens, most_documents(terms.is_loop, terms.prepared.total_room));
  const auto found = search_for(terms.input, layout, texts);
  if (found && !found->selection.chosen.empty()) return taken_by(terms, layout, found);
  const auto list = terms.prepared.index_tokens;  // What is archived can be read back, and so is named.
  return list > 0 ? terms.prepared.overhead_tokens + list : 0;
}

/// Growing: what was sent stays as it was, and grows at its end, until the room is full.
Layout growing(const SharingTerms& terms, Layout layout, MessageTexts& texts) {
  const auto documents = wanted_documents(terms, layout, texts);
  const auto within = growth_terms(terms.input, terms.is_loop, documents);
  auto thread = terms.previous == nullptr
                    ? grow_again(within)
                    : grow_on(within, *terms.previous, layout.same_question, wants_compaction(terms));
  layout.grows = true;
  layout.compacted_at = thread.compacted_at;
  layout.head_room = thread.head;
  layout.compaction = std::move(thread.compaction);
  const auto notes = most_notes(terms.policy, thread);
  layout.evidence = std::move(thread.evidence);
  layout.host_text = std::move(thread.host_text);
  layout.suffix = suffix_of(terms, thread);
  const bool is_whole = thread.cut == 0 && layout.suffix.extracts.empty() && layout.suffix.dropped.empty() &&
                        layout.suffix.reasoning_before == 0;
  layout.everything = is_whole && layout.suffix.tokens + terms.artifact_tokens <= terms.prepared.room;
  layout.block_tokens = layout.everything ? terms.artifact_tokens : thread.documents;
  if (layout.compacted_at > 0 && (thread.cut > 0 || !thread.behind.empty())) {
    layout = with_summaries(terms, std::move(layout));
    layout.head = head_of(terms, layout, std::move(thread), notes);
  }
  if (layout.everything && selects(terms.input)) return with_whole_artifacts(terms.input, std::move(layout));
  if (terms.prepared.gathered.items.empty()) return layout;
  auto found = search_for(terms.input, layout, texts);
  return with_found(terms.input, std::move(layout), std::move(found));
}

/// Whole: everything, where there is room for it.
std::optional<Layout> whole(const SharingTerms& terms, Layout layout) {
  layout.suffix = terms.suffixes().everything();
  if (layout.suffix.tokens + terms.artifact_tokens > terms.prepared.room) return std::nullopt;
  layout.block_tokens = terms.artifact_tokens;
  layout.everything = true;
  return selects(terms.input) ? with_whole_artifacts(terms.input, std::move(layout))
                              : with_found(terms.input, std::move(layout), std::nullopt);
}

/// What the block could use. Of the thread it is what is not sent; of what a service has compacted, as much as excerpts may take.
std::int64_t block_demand(const SharingTerms& terms, const Suffix& suffix) {
  if (!selects(terms.input)) return terms.artifact_tokens;
  const auto& suffixes = terms.suffixes();
  const auto before = suffixes.tokens_before(suffix.cut);
  const auto compacted = std::min(before, suffixes.tokens_before(terms.prepared.thread().first_to_send()));
  const auto excerpts = std::min(compacted, part(terms.policy.evidence_share, terms.prepared.total_room));
  const auto older = capped(before - compacted + excerpts, terms.policy);
  return terms.artifact_tokens + older + (older > 0 && terms.artifact_tokens == 0 ? terms.prepared.overhead_tokens : 0);
}

/// What the user's words may take of a single request: of an agent's all, of a chat's the rules.
std::int64_t most_words(const SharingTerms& terms) {
  if (terms.policy.notes_share == 0) return 0;
  const auto room = terms.prepared.total_room;
  const auto share = terms.is_loop ? single_words_share : rules_share;
  return std::max(part(share, room), std::min(least_rules, part(most_rules_share, room)));
}

/// `rest`: what the newest turns leave of the room.
ThreadHead head_of_single(const SharingTerms& terms, std::size_t cut, std::int64_t rest) {
  const auto most = part(most_of_rest, std::max<std::int64_t>(0, rest));
  auto& known = terms.input.known;
  HeadInput input{terms.context().conversation_history,
                  known.analysis,
                  known.memo,
                  *terms.prepared.counter,
                  terms.prepared.total_room,
                  terms.is_loop && terms.policy.notes_share > 0,
                  std::min(part(beginning_share, terms.prepared.total_room), most),
                  std::min(most_words(terms), most),
                  terms.prepared.handles.get()};
  input.compacted_at = terms.prepared.thread().size();
  return make_beginning(input, cut, terms.prepared.gathered.question, terms.prepared.gathered.last_word);
}

/// What the thread began with, the newest turns, then evidence, then as much more history as there is room for. `more`: how a
/// suffix may use the room that evidence leaves.
template <typename MoreRoom>
Layout newest_then_evidence(const SharingTerms& terms, Layout layout, Suffix newest, const MoreRoom& more,
                            MessageTexts& texts) {
  layout.suffix = std::move(newest);
  const auto rest = terms.prepared.room - layout.suffix.tokens;
  layout.head = head_of_single(terms, layout.suffix.cut, rest);
  const auto room = std::max<std::int64_t>(0, terms.prepared.room - layout.head.tokens);
  const auto beside_newest = std::max<std::int64_t>(0, room - layout.suffix.tokens);
  layout.block_tokens = std::min(block_demand(terms, layout.suffix), beside_newest);
  auto found = search_for(terms.input, layout, texts);
  const auto used = taken_by(terms, layout, found);
  // Each further selection takes as long again.
  if (terms.input.pace.was_over()) return with_found(terms.input, std::move(layout), std::move(found));
  auto extended = terms.suffixes().newest_within(more(room - used));
  if (extended.cut > layout.suffix.cut || extended.tokens <= layout.suffix.tokens)
    return with_found(terms.input, std::move(layout), std::move(found));
  layout.suffix = std::move(extended);
  layout.block_tokens = std::min(used, room - layout.suffix.tokens);
  layout.head = head_of_single(terms, layout.suffix.cut, rest);
  found = search_for(terms.input, layout, texts);
  return with_found(terms.input, std::move(layout), std::move(found));
}

/// Stepped: a small room, and steps that follow the question. They need their newest result; turns before it can be found as
/// evidence. Results of the newest step that do not fit whole say in an extract of the usual share what is asked of them.
Layout stepped(const SharingTerms& terms, Layout layout, MessageTexts& texts) {
  // Half of what is left beside it goes to the user's words: so his rules have their share.
  const auto newest = std::min(part(one_shot_result_share, terms.prepared.total_room),
                               terms.prepared.room - 2 * part(rules_share, terms.prepared.total_room));
  SuffixRoom room;
  room.total = part(one_shot_newest_share, terms.prepared.room);
  room.newest = newest;
  room.most = part(one_shot_result_share, terms.prepared.room);
  room.extracts = false;
  auto suffix = terms.suffixes().newest_within(room);
  if (suffix.cut >= terms.prepared.thread().size()) {
    room.newest = part(one_shot_newest_share, terms.prepared.room);
    room.extracts = true;
    suffix = terms.suffixes().newest_within(room);
  }
  const auto more = [newest](std::int64_t left) { return SuffixRoom{left, std::min(newest, left), 0, true}; };
  return newest_then_evidence(terms, std::move(layout), std::move(suffix), more, texts);
}

/// A conversation of which all fits into half of the room is not cut for what documents have of the question's words. In a small room it
/// is: there each passage counts.
bool stands_whole(const SharingTerms& terms) {
  return terms.prepared.total_room >= least_growing_room &&
         terms.suffixes().everything().tokens <= part(one_shot_whole_share, terms.prepared.room);
}

/// Single: a question at the end. Turns of a dialogue say what it is about; a transcript's newest lines are lines like others. A
/// question that names too little to be searched for refers to what was said right before it. No results become extracts: an
/// extract is made for the turn that asked for the result, and a new question is searched for in it.
Layout single(const SharingTerms& terms, Layout layout, MessageTexts& texts) {
  const bool is_dialogue = !layout.hints.empty();
  const auto& gathered = terms.prepared.gathered;
  const bool refers = is_dialogue && says_little(gathered.query);
  const bool stands_alone =
      !terms.is_loop && !refers && gathered.searched == gathered.query && requests(gathered.query);
  const auto newest = stands_alone ? beside_question_share : one_shot_newest_share;
  SuffixRoom room;
  room.total = is_dialogue ? part(newest, terms.prepared.room) : 0;
  if (is_dialogue && stands_whole(terms)) room.total = terms.prepared.room;
  room.newest = refers ? part(referred_share, terms.prepared.room) : 0;
  room.extracts = false;
  const auto more = [](std::int64_t left) { return SuffixRoom{left, 0, 0, false}; };
  return newest_then_evidence(terms, std::move(layout), terms.suffixes().newest_within(room), more, texts);
}

Layout share_room(const SharingTerms& terms, MessageTexts& texts) {
  auto layout = begin(terms);
  if (grows(terms)) return growing(terms, std::move(layout), texts);
  if (auto everything = whole(terms, layout)) return std::move(*everything);
  return terms.goes_on ? stepped(terms, std::move(layout), texts) : single(terms, std::move(layout), texts);
}

}  // namespace

Layout plan_layout(const LayoutInput& given) {
  auto embeddings = embeddings_for(given.inputs);
  auto input = given;
  input.embeddings = embeddings.get();
  MessageTexts texts;
  auto layout = share_room(terms_of(input), texts);
  if (!embeddings) return layout;
  layout.embedder_usage = embeddings->take_usage();
  layout.embedder_error = embeddings->failure();
  layout.embeddings = std::move(embeddings);
  return layout;
}

}  // namespace ctxmgr::engine
