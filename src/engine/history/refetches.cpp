#include "engine/history/refetches.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/ascii.hpp"
#include "engine/extracts/failed_result.hpp"
#include "engine/history/thread_analysis.hpp"
#include "engine/structure/call_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t window = 200;               // Messages in which a second fetch counts,
constexpr double half_life = 50;                  // after so many half as much,
constexpr std::size_t reach = 400;                // and in which the first may stand.
constexpr std::size_t longest_arguments = 4'096;  // Bytes: what is longer writes rather than fetches.
constexpr double source_gain = 0.25;
constexpr double kind_gain = 0.1;
constexpr std::size_t shortest_argument = 4;  // Of a call that reads by a handle.

void raise(double by, double& value) { value = std::min(1.0, value + by); }

/// Whether the reference has the argument as a word of its own.
bool names(std::string_view reference, std::string_view argument) {
  const auto is_inner = [](char c) {
    const auto low = ascii::lower_case(c);
    return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto at = reference.find(argument);
  if (at == std::string_view::npos) return false;
  const auto end = at + argument.size();
  return (at == 0 || !is_inner(reference[at - 1])) && (end == reference.size() || !is_inner(reference[end]));
}

double value_at(const std::map<Term, double>& values, Term key) {
  const auto found = values.find(key);
  return found == values.end() ? 0 : found->second;
}

class Finder {
 public:
  Finder(const std::vector<ConversationMessage>& messages, std::size_t end,
         const std::vector<const Artifact*>& artifacts, MessageHandles* handles, const ArtifactArchive* archive)
      : messages_(messages), end_(end), artifacts_(artifacts), handles_(handles), archive_(archive) {}

  Refetches find() {
    const auto first = end_ - std::min(end_, reach);
    const auto counts_from = end_ - std::min(end_, window);
    for (std::size_t i = first; i < end_; ++i) {
      for (const auto& call : messages_[i].tool_calls) {
        if (call.arguments_json.size() > longest_arguments) continue;
        const auto [before, is_first] = made_.try_emplace(std::hash<std::string>{}(written(call)), i);
        const auto earlier = std::exchange(before->second, i);
        if (i < counts_from) continue;
        if (!is_first && is_refetch(call, earlier, i)) add_call(call, weight(i));
        if (archive_ != nullptr && handles_ != nullptr) add_read_back(call, i);
      }
    }
    return std::move(found_);
  }

 private:
  double weight(std::size_t message) const { return std::pow(0.5, static_cast<double>(end_ - message) / half_life); }

  void add_call(const ToolCall& call, double by) {
    const auto about = subject_of(written(call));
    raise(by, found_.sources[about.subject]);
    raise(by, found_.kinds[about.tool]);
  }

  /// Not where the first call failed, nor where another tool worked on the same in between: that is a new state of it.
  bool is_refetch(const ToolCall& call, std::size_t earlier, std::size_t later) const {
    const auto about = subject_of(written(call));
    if (about.subject == 0) return false;
    for (auto i = earlier + 1; i < later; ++i) {
      const auto& message = messages_[i];
      if (message.role == Role::tool && is_answer(message, earlier, call) && is_failed_result(text_of(message)))
        return false;
      for (const auto& other : message.tool_calls) {
        const auto changed = subject_of(written(other));
        if (changed.subject == about.subject && changed.tool != about.tool) return false;
      }
    }
    return true;
  }

  bool is_answer(const ConversationMessage& message, std::size_t caller, const ToolCall& call) const {
    const auto& calls = messages_[caller].tool_calls;
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCall& made) {
      return made.id == message.tool_call_id && made.name == call.name && made.arguments_json == call.arguments_json;
    });
  }

  /// A call that says what a reference says: its tool and one of its strings.
  void add_read_back(const ToolCall& call, std::size_t at) {
    if (!reads_references(call)) return;
    const auto arguments = argument_values(call.arguments_json, "\n");
    const auto says = [&](const std::string& reference) {
      std::string_view rest = arguments;
      while (!rest.empty()) {
        const auto length = std::min(rest.find('\n'), rest.size());
        const auto argument = rest.substr(0, length);
        if (argument.size() >= shortest_argument && names(reference, argument)) return true;
        rest.remove_prefix(std::min(length + 1, rest.size()));
      }
      return false;
    };
    for (std::size_t i = 0; i < at; ++i) {
      if (!handles_->is_large(i) || !says(handles_->of(i))) continue;
      if (const auto* answered = messages_[i].role == Role::tool ? call_answered_by(messages_, i) : nullptr)
        return add_call(*answered, weight(at));
      return raise(weight(at), found_.messages[i]);
    }
    for (std::size_t i = 0; i < artifacts_.size(); ++i) {
      if (artifacts_[i] == nullptr || !says(reference_in(*archive_, *artifacts_[i]))) continue;
      raise(weight(at), found_.artifacts[i]);
      return raise(weight(at), found_.kinds[kind_of(*artifacts_[i])]);
    }
  }

  /// By any reference: all name the same tool.
  bool reads_references(const ToolCall& call) {
    if (!tool_known_) {
      tool_known_ = true;
      reference_ = reference_in(*archive_, make_document("any", "any"));
    }
    return !call.name.empty() && reference_.find(call.name) != std::string::npos;
  }

  const std::vector<ConversationMessage>& messages_;
  const std::size_t end_;
  const std::vector<const Artifact*>& artifacts_;
  MessageHandles* handles_;
  const ArtifactArchive* archive_;
  std::unordered_map<std::size_t, std::size_t> made_{};  ///< The last message with a call, by the call's hash.
  bool tool_known_ = false;
  std::string reference_{};
  Refetches found_{};
};

}  // namespace

double Refetches::prior(double source, double kind) {
  return 1 + source_gain * std::min(1.0, source) + kind_gain * kind;
}

double Refetches::of_source(Term subject) const { return subject == 0 ? 0 : value_at(sources, subject); }

double Refetches::of_kind(Term kind) const { return kind == 0 ? 0 : value_at(kinds, kind); }

double Refetches::of_message(std::size_t message, const CallSubject& call) const {
  const auto found = messages.find(message);
  return of_source(call.subject) + (found == messages.end() ? 0 : found->second);
}

double Refetches::of_message(std::size_t message, const std::vector<ConversationMessage>& history) const {
  if (!any()) return 0;
  const auto* call = history[message].role == Role::tool ? call_answered_by(history, message) : nullptr;
  return of_message(message, call == nullptr ? CallSubject{} : subject_of(written(*call)));
}

double Refetches::of_artifact(std::size_t artifact, const CallSubject& call) const {
  const auto found = artifacts.find(artifact);
  return of_source(call.subject) + (found == artifacts.end() ? 0 : found->second);
}

Term kind_of(const Artifact& artifact) {
  return hash_term("artifact " + std::to_string(static_cast<int>(artifact.artifact_type)));
}

Refetches find_refetches(const std::vector<ConversationMessage>& messages, std::size_t end,
                         const std::vector<const Artifact*>& artifacts, MessageHandles* handles,
                         const ArtifactArchive* archive) {
  return Finder(messages, std::min(end, messages.size()), artifacts, handles, archive).find();
}

}  // namespace ctxmgr::engine
