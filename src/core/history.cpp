#include "ctxmgr/core/history.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>

#include "core/json_types.hpp"
#include "core/part_forms.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view no_result = "no result: interrupted";

bool is_object(const std::string& arguments) { return arguments.empty() || parse_object(arguments).is_object(); }

/// Custom tools take text, not JSON.
bool takes_text(const ToolCall& call) { return get_string(parse_object(call.extra_json), "type") != nullptr; }

std::string place(std::size_t message, const std::string& id) {
  return "messages[" + std::to_string(message) + "], call \"" + id + "\": ";
}

/// Goes over a history once and mends as it goes. What is copied is as it was.
class Mender {
 public:
  explicit Mender(const std::vector<ConversationMessage>& messages) : messages_(messages) {
    out_.messages.reserve(messages.size());
  }

  MendedHistory mend() && {
    for (at_ = 0; at_ < messages_.size(); ++at_) {
      if (messages_[at_].role == Role::tool) {
        add_result(messages_[at_]);
        continue;
      }
      close_calls();
      add_message(messages_[at_]);
    }
    if (!quotes_.empty()) close_calls();  // They follow.
    return std::move(out_);
  }

 private:
  struct OpenCall {
    std::string written;  ///< The id as it stands in the history.
    std::string id;       ///< As it is sent.
    std::size_t message;
    bool answered = false;
  };

  void note(std::size_t message, const std::string& id, const std::string& what) {
    out_.notes.push_back(place(message, id) + what);
  }

  std::string fresh_id(std::string id) {
    if (!id.empty() && ids_.insert(id).second) return id;
    note(at_, id, id.empty() ? "it had no id" : "its id was used before");
    const std::string base = id.empty() ? "call" : id;
    do {
      id = base + "_" + std::to_string(++renamed_);
    } while (!ids_.insert(id).second);
    return id;
  }

  void add_message(ConversationMessage message) {
    for (ToolCall& call : message.tool_calls) {
      OpenCall open{call.id, fresh_id(call.id), at_};
      if (!takes_text(call) && !is_object(call.arguments_json)) {
        note(at_, call.id, "its arguments were no JSON object");
        call.arguments_json = dump_json({{"invalid_arguments", call.arguments_json}});
      }
      rename_place(message, open);
      call.id = open.id;
      calls_.push_back(std::move(open));
    }
    out_.messages.push_back(std::move(message));
  }

  static void rename_place(ConversationMessage& message, const OpenCall& call) {
    auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
    if (parts == nullptr || call.written == call.id) return;
    for (ContentPart& part : *parts) {
      if (forms::called_id(part) == call.written) part = forms::call_part(call.id);
    }
  }

  void add_result(ConversationMessage result) {
    const auto answers = [&](const OpenCall& call) { return !call.answered && call.written == result.tool_call_id; };
    const auto call = std::find_if(calls_.begin(), calls_.end(), answers);
    if (call == calls_.end()) return quote(result);
    call->answered = true;
    result.tool_call_id = call->id;
    out_.messages.push_back(std::move(result));
  }

  /// Where it stood, but after the results that belong together.
  void quote(const ConversationMessage& result) {
    note(at_, result.tool_call_id, "a result without its call was quoted");
    ConversationMessage quoted{Role::user, "A tool's result, of which the call is lost:\n" + text_of(result)};
    quoted.agent = result.agent;
    quoted.created_at = result.created_at;
    quoted.sequence_number = result.sequence_number;
    quoted.retention = result.retention;
    quotes_.push_back(std::move(quoted));
  }

  /// Later messages follow: what has no result by now will have none.
  void close_calls() {
    for (const OpenCall& call : calls_) {
      if (call.answered) continue;
      note(call.message, call.written, "it had no result");
      ConversationMessage result{Role::tool, std::string(no_result)};
      result.tool_call_id = call.id;
      out_.messages.push_back(std::move(result));
    }
    calls_.clear();
    place_quotes();
  }

  void place_quotes() {
    for (ConversationMessage& quoted : quotes_) out_.messages.push_back(std::move(quoted));
    quotes_.clear();
  }

  const std::vector<ConversationMessage>& messages_;
  std::size_t at_ = 0;
  MendedHistory out_;
  std::vector<OpenCall> calls_;  ///< Of the last message that made any.
  std::vector<ConversationMessage> quotes_;
  std::unordered_set<std::string> ids_;
  std::size_t renamed_ = 0;
};

}  // namespace

MendedHistory mend_history(const std::vector<ConversationMessage>& messages) { return Mender(messages).mend(); }

Result<void> check_history(const std::vector<ConversationMessage>& messages) {
  auto mended = mend_history(messages);
  if (mended.notes.empty()) return {};
  return fail(ErrorCode::invalid_argument, std::move(mended.notes.front()));
}

}  // namespace ctxmgr
