#include "engine/build/evidence.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/message_number.hpp"
#include "engine/build/data_block.hpp"
#include "engine/extracts/artifact_title.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/selection/query.hpp"

namespace ctxmgr::engine {
namespace {

/// Speaker with colon and blank, and what was said.
std::pair<std::string_view, std::string_view> split(std::string_view text, std::size_t label) {
  return {text.substr(0, label), text.substr(std::min(label, text.size()))};
}

}  // namespace

std::vector<MessageRange> competing_messages(const LayoutInput& q, const Suffix& suffix,
                                             const std::vector<TaskMessage>& task) {
  std::vector<MessageRange> ranges;
  if (q.inputs.request.history.evidence_share == 0) return ranges;
  const auto is_fixed = [&q](std::size_t i) { return q.prepared.suffixes->is_fixed(q.prepared.thread().group_of(i)); };
  std::vector<std::size_t> sent;
  for (const auto& message : task) {
    if (message.whole) sent.push_back(message.message);
  }
  if (q.prepared.gathered.question) sent.push_back(*q.prepared.gathered.question);
  for (std::size_t i = 0; i < suffix.cut; ++i) {
    if (is_fixed(i) || std::find(sent.begin(), sent.end(), i) != sent.end()) continue;
    if (ranges.empty() || ranges.back().last != i) ranges.push_back({i, i});
    ranges.back().last = i + 1;
  }
  for (std::size_t i = suffix.cut; i < std::min(suffix.mask_before, q.prepared.thread().size()); ++i) {
    const bool result = q.inputs.context.conversation_history[i].role == Role::tool;
    if (!result || !q.prepared.suffixes->is_masked(i, suffix)) continue;
    ranges.push_back({i, i + 1});
  }
  return ranges;
}

std::vector<MessageRange> read_for_search(std::vector<MessageRange> ranges, const LayoutInput& q) {
  if (!ranges.empty())
    q.prepared.thread().index_up_to(ranges.back().last, q.inputs.context.conversation_history, q.pace);
  const auto read = q.prepared.thread().index().size();
  while (!ranges.empty() && ranges.back().first >= read) ranges.pop_back();
  if (!ranges.empty()) ranges.back().last = std::min(ranges.back().last, read);
  return ranges;
}

std::size_t count_of(const std::vector<MessageRange>& ranges) {
  std::size_t count = 0;
  for (const auto& range : ranges) count += range.last - range.first;
  return count;
}

Fingerprint evidence_key(const LayoutInput& q, const std::vector<MessageRange>& ranges, std::size_t seen,
                         const SelectionRequest& request, const Refetches& refetches) {
  const auto& prepared = q.prepared;
  auto key = prepared.thread().fingerprint_at(ranges.empty() ? 0 : ranges.back().last);
  const auto add = [&key](std::string_view text) { key = fingerprint(text, key); };
  const auto add_number = [&add](std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    add({bytes, sizeof bytes});
  };
  if (!prepared.artifacts().chain().empty()) add(prepared.artifacts().chain().back().hex());
  add(request.query);
  for (const auto& hint : request.hints) add(hint);
  add_number(seen);
  add_number(static_cast<std::uint64_t>(request.budget_tokens));
  add_number(static_cast<std::uint64_t>(request.goal));
  add_number(prepared.artifacts().read());
  add_number(prepared.gathered.question.value_or(nowhere));
  for (const auto& item : prepared.gathered.items) add_number(static_cast<std::uint64_t>(item.kind));
  const auto add_all = [&add_number](const auto& values) {
    for (const auto& [what, value] : values) {
      add_number(static_cast<std::uint64_t>(what));
      add_number(static_cast<std::uint64_t>(value * 1e9));
    }
  };
  add_all(refetches.sources);
  add_all(refetches.kinds);
  add_all(refetches.messages);
  add_all(refetches.artifacts);
  const auto& messages = q.inputs.context.conversation_history;
  for (const auto& range : ranges) {
    add_number(range.first);
    add_number(range.last);
    add_number(static_cast<std::uint64_t>(messages[range.first].sequence_number.value_or(-1)));  // Headers show it.
  }
  return key;
}

std::size_t message_at(const std::vector<MessageRange>& ranges, std::size_t position) {
  for (const auto& range : ranges) {
    if (position < range.last - range.first) return range.first + position;
    position -= range.last - range.first;
  }
  return 0;
}

std::vector<IndexSlice> slices_of(const LayoutInput& q, const std::vector<MessageRange>& ranges, std::size_t seen,
                                  const Refetches& refetches, MessageTexts& texts) {
  const auto& messages = q.inputs.context.conversation_history;
  const auto text_of_message = [&](std::size_t i) -> std::string_view {
    auto [text, fresh] = texts.texts.try_emplace(i);
    if (fresh) text->second = indexed_text(q.prepared.thread(), messages, i);
    return text->second;
  };
  const auto header_of_message = [&](std::size_t i) -> std::string_view {
    auto [header, fresh] = texts.headers.try_emplace(i);
    if (fresh) header->second = piece_header(messages, i);
    return header->second;
  };
  const auto analysis_of_message = [&, text_of_message](std::size_t i) -> const ItemAnalysis& {
    const auto found = texts.analyses.find(i);
    if (found != texts.analyses.end()) return found->second;
    return texts.analyses.emplace(i, q.prepared.thread().analyze(messages, i, text_of_message(i))).first->second;
  };
  const auto is_silent = [&q, &messages, seen](std::size_t i) {
    return is_bare_call(messages[i]) || q.prepared.thread().roles().of(i, seen) == ThreadRole::nudge;
  };
  const auto prior_of_message = [&q, &refetches](std::size_t i) {
    const auto& call = q.prepared.thread().index().call_of(i);
    return Refetches::prior(refetches.of_message(i, call), refetches.of_kind(call.tool));
  };
  std::vector<IndexSlice> slices;
  const auto& question = q.prepared.gathered.question;
  for (const auto& range : ranges) {
    slices.push_back({&q.prepared.thread().index(), range.first, range.last, text_of_message, header_of_message});
    slices.back().is_silent = is_silent;
    slices.back().analysis = analysis_of_message;
    if (refetches.any()) slices.back().prior = prior_of_message;
    slices.back().numbered = true;
    slices.back().follows = question && range.first > *question;
  }
  return slices;
}

std::vector<SelectedText> excerpts_for(const std::string& query, std::int64_t tokens, const Layout& layout,
                                       const LayoutInput& input) {
  const auto ranges = read_for_search(competing_messages(input, layout.suffix, layout.head.task), input);
  if (ranges.empty()) return {};
  SelectionRequest request;
  request.query = query;
  request.budget_tokens = tokens;
  request.goal = input.inputs.context.goal;
  MessageTexts texts;
  const Refetches none;
  auto chosen =
      select(slices_of(input, ranges, layout.hinted_by, none, texts), request, *input.prepared.counter).chosen;
  for (auto& text : chosen) text.index = message_at(ranges, text.index);
  return chosen;
}

std::string piece_header(const std::vector<ConversationMessage>& messages, std::size_t message) {
  const auto number = number_of(messages[message], message);
  std::string header("[");
  header.append(std::to_string(number)).append("]");
  if (messages[message].role != Role::tool) return header;
  const auto* call = call_answered_by(messages, message);
  header.append(" ").append(call == nullptr ? "tool" : short_call(call->name, call->arguments_json));
  if (is_failed_result(text_of(messages[message]))) header.append(", failed");
  return header;
}

bool is_bare_call(const ConversationMessage& message) {
  return !message.tool_calls.empty() && text_of(message).empty();
}

std::string render_pieces(const std::vector<ConversationMessage>& messages, const std::vector<SelectedText>& pieces) {
  std::string text;
  std::string_view before;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto message = pieces[i].index;
    const bool is_result = messages[message].role == Role::tool;
    const bool follows = i > 0 && pieces[i - 1].index + 1 == message;
    if (is_result || !follows) text += piece_header(messages, message);
    const auto [label, said] = split(pieces[i].text, label_bytes(messages[message]));
    const auto rest = after(before, said);
    if (is_result)
      text += ": ";
    else
      text.append(follows ? "" : " ").append(label);
    text.append(rest).append("\n");
    before = said;
  }
  return text;
}

}  // namespace ctxmgr::engine
