#include "engine/history/thread_analysis.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/enum_tables.hpp"
#include "core/history/server_calls.hpp"
#include "core/instruction_role.hpp"
#include "core/json/part_forms.hpp"
#include "engine/history/content_hash.hpp"
#include "engine/history/reasoning_parts.hpp"
#include "engine/structure/text_command.hpp"
#include "media/media.hpp"

namespace ctxmgr::engine {
namespace {

// Calls of an assistant message by their ids; of doubled ids the first.
using Calls = std::unordered_map<std::string_view, const ToolCall*>;

Calls calls_of(const ConversationMessage& message) {
  Calls calls;
  for (const auto& call : message.tool_calls) calls.try_emplace(call.id, &call);
  return calls;
}

/// The views outlive the item.
ItemText item_text(const ConversationMessage& message, const MessageText& text, std::string_view call) {
  ItemText item;
  item.text = text.text;
  item.sections = text.sections;
  item.label_bytes = std::min(text.text.size(), label_bytes(message));
  item.call = call;
  item.time = message.created_at;
  item.speaker = message.role == Role::user   ? Speaker::user
                 : message.role == Role::tool ? Speaker::tool
                                              : Speaker::assistant;
  item.trust = Trust::untrusted;  // Who is trusted counts among documents: turns have a share of their own.
  return item;
}

/// What rules say of the calls that a group begins with.
void read_rules(const std::vector<ToolCall>& calls, const ToolRules& rules, Group& group) {
  group.may_go_first = !calls.empty();
  for (const auto& call : calls) {
    const auto retention = find_tool_rule(rules, call.name).retention;
    group.pinned_by_rule |= retention == ToolRetention::never_cut;
    group.has_state |= retention == ToolRetention::keeps_latest;
    group.is_precious |= retention == ToolRetention::not_refetched;
    group.may_go_first &= retention == ToolRetention::keeps_latest || retention == ToolRetention::cut_first;
  }
}

/// Only words are compared: two pictures may differ.
bool are_alike(const ConversationMessage& a, const ConversationMessage& b) {
  const auto same_call = [](const ToolCall& x, const ToolCall& y) {
    return x.name == y.name && x.arguments_json == y.arguments_json;
  };
  const auto has_parts = [](const ConversationMessage& message) {
    return std::holds_alternative<std::vector<ContentPart>>(message.content);
  };
  return a.role == b.role && !has_parts(a) && !has_parts(b) &&
         std::equal(a.tool_calls.begin(), a.tool_calls.end(), b.tool_calls.begin(), b.tool_calls.end(), same_call) &&
         all_text_of(a) == all_text_of(b);
}

/// Whether both groups make the same calls, and these had the same results.
bool are_alike(const std::vector<ConversationMessage>& messages, const Group& a, const Group& b) {
  if (!b.has_results || messages[b.first].tool_calls.empty() || a.last - a.first != b.last - b.first) return false;
  for (std::size_t i = 0; i < b.last - b.first; ++i)
    if (!are_alike(messages[a.first + i], messages[b.first + i])) return false;
  return true;
}

/// The group that begins at `first`, with the results that follow it; where a call of the service's own waits, up to the
/// assistant's message that has its result.
Group read_group(const std::vector<ConversationMessage>& messages, std::size_t first, const ToolRules& rules,
                 const std::vector<std::size_t>& released) {
  Group group{first, first};
  std::vector<ToolCall> called;
  ServerCalls server_calls;
  do {
    const auto& said = messages[group.last++];
    server_calls.read(said, 0);
    called.insert(called.end(), said.tool_calls.begin(), said.tool_calls.end());
    const Calls calls = calls_of(said);
    std::unordered_set<std::string_view> answered;
    while (group.last < messages.size() && messages[group.last].role == Role::tool &&
           calls.count(messages[group.last].tool_call_id) != 0) {
      group.has_results = true;
      answered.insert(messages[group.last].tool_call_id);
      ++group.last;
    }
    group.pending = answered.size() < calls.size() || server_calls.any();
  } while (server_calls.any() && group.last < messages.size() && messages[group.last].role == Role::assistant);
  for (std::size_t i = first; i < group.last; ++i) group.pinned |= messages[i].retention == Retention::pinned;
  read_rules(called, rules, group);
  group.pinned_by_rule = group.pinned_by_rule && !group.pinned;
  group.released =
      (group.pinned || group.pinned_by_rule) && std::binary_search(released.begin(), released.end(), first);
  group.pinned = (group.pinned || group.pinned_by_rule) && !group.released;
  group.compacted = forms::is_service_compaction(messages[first]);
  group.has_media = messages[first].role == Role::user && has_media(messages[first]);
  group.fixed = group.pinned || group.pending || group.compacted || is_instruction(messages[first]);
  return group;
}

/// Of more messages, what is chosen is analysed again: that is cheaper than the memory for all (2 KB for each).
constexpr std::size_t most_kept_analyses = 1'024;

}  // namespace

std::string written(const ToolCall& call) { return call.name + "(" + call.arguments_json + ")"; }

MessageText indexed_text(const ThreadAnalysis& thread, const std::vector<ConversationMessage>& messages,
                         std::size_t i) {
  const auto& group = thread.groups()[thread.group_of(i)];
  return group.fixed || group.compacted ? MessageText() : read_message(messages[i]);
}

const ToolCall* call_answered_by(const std::vector<ConversationMessage>& messages, std::size_t message) {
  for (std::size_t i = message; i-- > 0;) {
    if (messages[i].role == Role::tool) continue;
    const auto& calls = messages[i].tool_calls;
    const auto& id = messages[message].tool_call_id;
    // Most results stand in the order of their calls.
    const std::size_t likely = message - i - 1;
    if (likely < calls.size() && calls[likely].id == id) return &calls[likely];
    const auto call = std::find_if(calls.begin(), calls.end(), [&id](const ToolCall& c) { return c.id == id; });
    return call == calls.end() ? nullptr : &*call;
  }
  return nullptr;
}

Artifact artifact_of_message(const std::vector<ConversationMessage>& messages, std::size_t message) {
  Artifact artifact;
  const auto* call = call_answered_by(messages, message);
  const auto number = messages[message].sequence_number.value_or(static_cast<std::int64_t>(message));
  artifact.artifact_id = "msg_" + std::to_string(number);
  artifact.artifact_type = ArtifactType::tool_result;
  artifact.content = all_text_of(messages[message]);
  artifact.source = "history:msg_" + std::to_string(number);
  if (messages[message].created_at) artifact.timestamp = *messages[message].created_at;
  if (call == nullptr || call->name.empty()) return artifact;
  artifact.artifact_id += "_" + call->name;
  artifact.source += ":" + call->name;
  artifact.metadata["tool_name"] = call->name;
  artifact.metadata["tool_arguments"] = call->arguments_json;
  return artifact;
}

Fingerprint message_fingerprint(const ConversationMessage& message, Fingerprint before) {
  auto joined = ctxmgr::engine::fingerprint(enum_name(message.role), before);
  const auto add = [&joined](std::string_view text) { joined = ctxmgr::engine::fingerprint(text, joined); };
  const auto add_fields = [&add](std::string_view json) {
    std::string rest;
    add(without_breakpoint(json, rest));
  };
  if (const auto* text = std::get_if<std::string>(&message.content)) add(*text);
  if (const auto* parts = std::get_if<std::vector<ContentPart>>(&message.content)) {
    for (const auto& part : *parts) {
      add(part.text);
      add_fields(part.json);
    }
  }
  for (const auto& call : message.tool_calls) {
    for (const auto* field : {&call.id, &call.name, &call.arguments_json}) add(*field);
    add_fields(call.extra_json);
  }
  for (const auto* field : {&message.tool_call_id, &message.name}) add(*field);
  add_fields(message.extra_json);
  return joined;
}

bool ThreadAnalysis::has_read_beginning_of(const std::vector<std::uint64_t>& hashes) const {
  return size() <= hashes.size() && std::equal(hashes_.begin(), hashes_.end(), hashes.begin());
}

Result<void> ThreadAnalysis::extend(const std::vector<ConversationMessage>& messages, const TokenCounter& counter) {
  reader_.read(messages);
  if (!reader_.notes().empty()) return fail(ErrorCode::invalid_argument, reader_.notes().front());
  for (std::size_t i = size(); i < messages.size(); ++i) {
    message_tokens_.push_back(counter.count_message(messages[i]));
    chain_.push_back(message_fingerprint(messages[i], fingerprint()));
    hashes_.push_back(content_hash(messages[i]));
    read_steps(messages[i], i);
    if (const auto plain = without_reasoning(messages[i]))
      reasoning_[i] = std::max<std::int64_t>(0, message_tokens_.back() - counter.count_message(*plain));
    if (messages[i].role == Role::user) user_messages_.push_back(i);
  }
  roles_.extend(messages);
  reopen_last_group();
  group_of_.resize(groups_.empty() ? 0 : groups_.back().last);
  read_groups(messages);
  return {};
}

void ThreadAnalysis::read_groups(const std::vector<ConversationMessage>& messages) {
  while (group_of_.size() < messages.size()) {
    auto group = read_group(messages, group_of_.size(), rules_, released_);
    group.repeats = !groups_.empty() && are_alike(messages, groups_.back(), group);
    close_group(group);
    is_steered_ = is_steered_ || group.has_state || group.may_go_first || group.repeats;
  }
}

bool ThreadAnalysis::release(std::vector<std::size_t> first_messages,
                             const std::vector<ConversationMessage>& messages) {
  if (first_messages == released_) return false;
  released_ = std::move(first_messages);
  groups_.clear();
  group_of_.clear();
  free_tokens_before_.assign(1, 0);
  fixed_tokens_ = 0;
  fixed_groups_.clear();
  compacted_group_.reset();
  forget_index();
  read_groups(messages);
  return true;
}

void ThreadAnalysis::read_steps(const ConversationMessage& message, std::size_t position) {
  if (message.reasoning_steps.empty()) return;
  ConversationMessage steps_only;
  steps_only.reasoning_steps = message.reasoning_steps;
  steps_only.sequence_number = message.sequence_number.value_or(static_cast<std::int64_t>(position));
  for (auto& artifact : extract_artifacts_from_messages({steps_only})) {
    historical_bytes_ += sizeof(Artifact) + artifact.content.size();
    historical_artifacts_.push_back(std::move(artifact));
    historical_messages_.push_back(position);
  }
}

/// Results for its calls may have been appended since.
void ThreadAnalysis::reopen_last_group() {
  if (groups_.empty()) return;
  if (groups_.back().fixed) {
    fixed_tokens_ -= groups_.back().tokens;
    fixed_groups_.pop_back();
  }
  groups_.pop_back();
  free_tokens_before_.pop_back();
}

void ThreadAnalysis::close_group(Group group) {
  for (std::size_t i = group.first; i < group.last; ++i) group.tokens += message_tokens_[i];
  group_of_.insert(group_of_.end(), group.last - group.first, groups_.size());
  if (group.fixed) {
    fixed_tokens_ += group.tokens;
    fixed_groups_.push_back(groups_.size());
  }
  free_tokens_before_.push_back(free_tokens_before_.back() + (group.fixed ? 0 : group.tokens));
  has_media_ = has_media_ || group.has_media;
  if (group.compacted && compacted_group_ != groups_.size()) {
    let_go_of_former_compaction();
    compacted_group_ = groups_.size();
  }
  groups_.push_back(group);
}

/// A newer one stands for it, too.
void ThreadAnalysis::let_go_of_former_compaction() {
  if (!compacted_group_) return;
  auto& former = groups_[*compacted_group_];
  if (former.pending) return;
  former.fixed = former.pinned = false;
  fixed_tokens_ -= former.tokens;
  fixed_groups_.erase(std::find(fixed_groups_.begin(), fixed_groups_.end(), *compacted_group_));
  for (auto g = *compacted_group_ + 1; g < free_tokens_before_.size(); ++g) free_tokens_before_[g] += former.tokens;
}

void ThreadAnalysis::index_up_to(std::size_t last, const std::vector<ConversationMessage>& messages, Pace& pace) {
  Calls calls;  // Of the last group.
  const std::size_t begin = index_.size();
  for (std::size_t i = begin; i < last; ++i) {
    const auto text = indexed_text(*this, messages, i);
    if (!pace.allows(text.text.size())) break;
    const std::size_t first = groups_[group_of_[i]].first;
    if (i == begin || i == first) calls = calls_of(messages[first]);
    const auto answered = messages[i].role == Role::tool ? calls.find(messages[i].tool_call_id) : calls.end();
    index_.append(
        item_text(messages[i], text,
                  answered == calls.end() ? text_command_answered_by(messages, i) : written(*answered->second)));
    index_.forget_all_but_newest(most_kept_analyses);
  }
}

ItemAnalysis ThreadAnalysis::analyze(const std::vector<ConversationMessage>& messages, std::size_t i,
                                     const MessageText& text) const {
  const auto* call = messages[i].role == Role::tool ? call_answered_by(messages, i) : nullptr;
  TermAnalyzer analyzer;
  const auto said = call == nullptr ? text_command_answered_by(messages, i) : written(*call);
  return analyze_item(item_text(messages[i], text, said), analyzer);
}

std::size_t ThreadAnalysis::bytes() const {
  return size() * (sizeof(std::int64_t) + sizeof(std::size_t) + sizeof(Fingerprint) + sizeof(std::uint64_t)) +
         groups_.size() * sizeof(Group) + historical_bytes_ + reader_.bytes() + user_words_.bytes() + index_.bytes();
}

}  // namespace ctxmgr::engine
