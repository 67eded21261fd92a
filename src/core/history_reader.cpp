#include "core/history_reader.hpp"

#include <utility>

#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view no_result = "no result: interrupted";

bool is_object(const std::string& arguments) { return arguments.empty() || parse_object(arguments).is_object(); }

/// Custom tools take text, not JSON.
bool takes_text(const ToolCall& call) {
  return !call.extra_json.empty() && get_string(parse_object(call.extra_json), "type") != nullptr;
}

void rename_place(ConversationMessage& message, const std::string& written, const std::string& id) {
  auto* const parts = std::get_if<std::vector<ContentPart>>(&message.content);
  if (parts == nullptr || written == id) return;
  for (ContentPart& part : *parts) {
    if (forms::called_id(part) == written) part = forms::call_part(id);
  }
}

}  // namespace

void HistoryReader::read(const std::vector<ConversationMessage>& messages) {
  for (; at_ < messages.size(); ++at_) {
    const ConversationMessage& message = messages[at_];
    if (message.role == Role::tool) {
      read_result(message);
    } else {
      close_calls();
      read_message(message);
    }
  }
}

MendedHistory HistoryReader::mended() && {
  if (!quotes_.empty()) close_calls();  // They follow.
  return {std::move(mended_), std::move(notes_)};
}

void HistoryReader::note(std::size_t message, const std::string& id, const std::string& what) {
  notes_.push_back("messages[" + std::to_string(message) + "], call \"" + id + "\": " + what);
}

bool HistoryReader::is_new(const std::string& id) {
  if (id.empty() || !ids_.insert(id).second) return false;
  bytes_ += sizeof(std::string) + id.size();
  return true;
}

std::string HistoryReader::fresh_id(const std::string& id) {
  if (is_new(id)) return id;
  note(at_, id, id.empty() ? "it had no id" : "its id was used before");
  const std::string base = id.empty() ? "call" : id;
  std::string fresh;
  do {
    fresh = base + "_" + std::to_string(++renamed_);
  } while (!is_new(fresh));
  return fresh;
}

void HistoryReader::open_call(OpenCall call) {
  waiting_[call.written].push(calls_.size());
  calls_.push_back(std::move(call));
}

void HistoryReader::read_message(const ConversationMessage& message) {
  if (!mends_) {
    for (const ToolCall& call : message.tool_calls) {
      open_call({call.id, fresh_id(call.id), at_});
      if (!takes_text(call) && !is_object(call.arguments_json)) note(at_, call.id, "its arguments were no JSON object");
    }
    return;
  }
  ConversationMessage mended = message;
  for (ToolCall& call : mended.tool_calls) {
    OpenCall open{call.id, fresh_id(call.id), at_};
    if (!takes_text(call) && !is_object(call.arguments_json)) {
      note(at_, call.id, "its arguments were no JSON object");
      call.arguments_json = dump_json({{"invalid_arguments", call.arguments_json}});
    }
    rename_place(mended, open.written, open.id);
    call.id = open.id;
    open_call(std::move(open));
  }
  mended_.push_back(std::move(mended));
}

void HistoryReader::read_result(const ConversationMessage& result) {
  const auto waiting = waiting_.find(result.tool_call_id);
  if (waiting == waiting_.end() || waiting->second.empty()) return quote(result);
  OpenCall& call = calls_[waiting->second.front()];
  waiting->second.pop();
  call.answered = true;
  if (!mends_) return;
  mended_.push_back(result);
  mended_.back().tool_call_id = call.id;
}

/// Where it stood, but after the results that belong together.
void HistoryReader::quote(const ConversationMessage& result) {
  note(at_, result.tool_call_id, "a result without its call");
  if (!mends_) return;
  ConversationMessage quoted{Role::user, "A tool's result, of which the call is lost:\n" + text_of(result)};
  quoted.agent = result.agent;
  quoted.created_at = result.created_at;
  quoted.sequence_number = result.sequence_number;
  quoted.retention = result.retention;
  quotes_.push_back(std::move(quoted));
}

/// Later messages follow: what has no result by now will have none.
void HistoryReader::close_calls() {
  for (const OpenCall& call : calls_) {
    if (call.answered) continue;
    note(call.message, call.written, "it had no result");
    if (!mends_) continue;
    ConversationMessage result{Role::tool, std::string(no_result)};
    result.tool_call_id = call.id;
    mended_.push_back(std::move(result));
  }
  calls_.clear();
  waiting_.clear();
  for (ConversationMessage& quoted : quotes_) mended_.push_back(std::move(quoted));
  quotes_.clear();
}

}  // namespace ctxmgr
