#include "core/history/history_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/history/call_ids.hpp"
#include "core/history/empty_messages.hpp"
#include "core/json/half_surrogates.hpp"
#include "core/json/lexer.hpp"
#include "core/json/part_forms.hpp"
#include "core/json/types.hpp"
#include "core/shaped_messages.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view no_result = "no result: interrupted";

/// Looked at in each build, so that nothing is made of it.
bool is_object(const std::string& arguments) {
  return next_json_token(arguments, 0).kind == '{' && is_json(arguments) && !mend_half_surrogates(arguments);
}

/// What the model wrote that is no object stands in one, so that it gets to see its mistake.
std::string as_object(const std::string& arguments) {
  if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) return "{}";
  if (auto halves = mend_half_surrogates(arguments); halves && is_object(halves->text)) return std::move(halves->text);
  return dump_json({{"invalid_arguments", arguments}});
}

/// Custom tools take text, not JSON.
bool takes_text(const ToolCall& call) {
  return !call.extra_json.empty() && get_string(parse_object(call.extra_json), "type") != nullptr;
}

/// Messages are counted from 1, as everywhere in a receipt.
std::string place_of(std::size_t message) { return "message " + std::to_string(message + 1); }

std::string text_of_note(std::size_t message, const std::string& id, const std::string& what) {
  return place_of(message) + ", call \"" + id + "\": " + what;
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
  for (; at_ < messages.size(); ++at_) read_one(messages[at_]);
}

void HistoryReader::read_one(const ConversationMessage& given) {
  const auto paired = without_lost_results(given);
  const ConversationMessage& message = paired ? *paired : given;
  const auto spoken = without_blanks(message, demands_.empty_messages);
  if (!spoken) return is_empty(message, demands_.empty_messages) ? leave_out(message, false) : read_spoken(message);
  const bool is_left_out = is_empty(spoken->message, demands_.empty_messages);
  if (is_left_out) return leave_out(spoken->message, spoken->has_breakpoint);
  notes_.push_back(place_of(at_) + ": a part of its text was blank");
  read_spoken(spoken->message);
}

/// A user who said nothing between two words of the assistant wants it to go on; else nothing is missing without the message. A
/// breakpoint goes to what stands before.
void HistoryReader::leave_out(const ConversationMessage& message, bool has_breakpoint) {
  notes_.push_back(place_of(at_) + ": it was empty");
  const bool is_needed = message.role == Role::user && last_role_ != Role::user && last_role_ != Role::tool;
  if (is_needed) {
    ConversationMessage word = message;
    word.content = std::string(words_of_the_user);
    return read_spoken(word);
  }
  if (has_breakpoint && !mended_.empty()) put_breakpoint(mended_.back());
}

void HistoryReader::read_spoken(const ConversationMessage& message) {
  last_role_ = message.role;
  if (message.role == Role::tool) return read_result(message);
  if (message.role == Role::user) close_server_calls();
  close_calls();
  read_message(message);
}

/// A result of the service's own that answers no call of its own becomes what a lost result of the client's becomes.
std::optional<ConversationMessage> HistoryReader::without_lost_results(const ConversationMessage& message) {
  const auto lost = server_calls_.lost_results(message);
  if (lost.empty()) return std::nullopt;
  ConversationMessage left = message;
  auto& parts = std::get<std::vector<ContentPart>>(left.content);
  for (auto part = lost.rbegin(); part != lost.rend(); ++part) {
    notes_.push_back(place_of(at_) + ": a result of a tool of the service without its call");
    ConversationMessage result{Role::tool, words_of_server_result(parts[*part])};
    result.created_at = message.created_at;
    if (mends_) lost_.push_back({at_, std::move(result)});
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(*part));
  }
  return left;
}

/// The user goes on: what the service has not answered by now it will not.
void HistoryReader::close_server_calls() {
  if (!server_calls_.any()) return;
  for (const auto& [id, open] : server_calls_.take()) {
    notes_.push_back("call \"" + id + "\" of a tool of the service: it had no result");
    if (!mends_) continue;
    auto& part = std::get<std::vector<ContentPart>>(mended_[open.message].content)[open.part];
    part = {PartKind::text, "[" + open.tool + ": " + std::string(no_result) + "]", {}};
  }
}

/// Whether calls wait beside others that have their result.
bool HistoryReader::is_torn() const {
  const auto is_answered = [](const OpenCall& call) { return call.answered; };
  return std::any_of(calls_.begin(), calls_.end(), is_answered) &&
         !std::all_of(calls_.begin(), calls_.end(), is_answered);
}

void HistoryReader::end() {
  if (is_torn()) close_calls();
}

std::vector<ConversationMessage> HistoryReader::take_mended() {
  end();
  return std::move(mended_);
}

void HistoryReader::note(std::size_t message, const std::string& id, const std::string& what) {
  notes_.push_back(text_of_note(message, id, what));
}

bool HistoryReader::is_new(const std::string& id) {
  if (id.empty() || !ids_.insert(id).second) return false;
  bytes_ += sizeof(std::string) + id.size();
  return true;
}

bool HistoryReader::is_taken_as_it_is(const std::string& id) {
  const bool has_its_form = has_form(id, demands_.id_form);
  if (has_its_form && is_new(id)) return true;
  if (has_its_form || id.empty()) {
    note(at_, id, id.empty() ? "it had no id" : "its id was used before");
  } else if (!std::exchange(has_refused_form_, true)) {
    note(at_, id, "the service refuses ids of this form, here and below");
  }
  return false;
}

std::string HistoryReader::fresh_id(const std::string& id) {
  if (is_taken_as_it_is(id)) return id;
  std::string fresh;
  do {
    fresh = made_call_id(id, ++renamed_, demands_.id_form);
  } while (!is_new(fresh));
  return fresh;
}

void HistoryReader::open_call(OpenCall call, const std::string& agent) {
  waiting_.open(call.written, agent, at_, calls_.size());
  calls_.push_back(std::move(call));
}

bool HistoryReader::has_wrong_arguments(const ToolCall& call) const {
  return demands_.object_arguments && !takes_text(call) && !is_object(call.arguments_json);
}

void HistoryReader::read_message(const ConversationMessage& message) {
  if (!mends_) {
    for (const ToolCall& call : message.tool_calls) {
      open_call({call.id, fresh_id(call.id), at_, message.agent}, message.agent);
      if (has_wrong_arguments(call)) note(at_, call.id, "its arguments were no JSON object");
    }
    return server_calls_.read(message, at_);
  }
  ConversationMessage mended = message;
  for (ToolCall& call : mended.tool_calls) {
    OpenCall open{call.id, fresh_id(call.id), at_, message.agent};
    if (has_wrong_arguments(call)) {
      note(at_, call.id, "its arguments were no JSON object");
      call.arguments_json = as_object(call.arguments_json);
    }
    rename_place(mended, open.written, open.id);
    call.id = open.id;
    open_call(std::move(open), message.agent);
  }
  server_calls_.read(mended, mended_.size());
  mended_.push_back(std::move(mended));
}

void HistoryReader::read_result(const ConversationMessage& result) {
  const auto answered = waiting_.answer(result.tool_call_id, result.agent);
  if (!answered && mends_ && put_behind_call(result)) return;
  if (!answered) {
    note(at_, result.tool_call_id, "a result without its call");
    if (mends_) lost_.push_back({at_, result});
    return;
  }
  OpenCall& call = calls_[answered->call];
  call.answered = true;
  if (!mends_) return;
  mended_.push_back(result);
  mended_.back().tool_call_id = call.id;
}

/// A user may go on before all results are there: a late one belongs to the newest call of its id that still has none.
bool HistoryReader::put_behind_call(const ConversationMessage& result) {
  const auto is_of = [this, &result](const ClosedCall& closed) {
    const auto& agent = closed.call.agent;
    return closed.call.written == result.tool_call_id &&
           (agent.empty() || result.agent.empty() || agent == result.agent || !waiting_.has_called(result.agent));
  };
  const auto found = std::find_if(closed_.rbegin(), closed_.rend(), is_of);
  if (found == closed_.rend()) return false;
  auto& place = mended_[found->put_in];
  place = result;
  place.tool_call_id = found->call.id;
  notes_[found->note] = text_of_note(found->call.message, found->call.written,
                                     "its result came later, as " + place_of(at_) + ", and was put behind it");
  put_in_.erase(std::find(put_in_.begin(), put_in_.end(), found->put_in));
  closed_.erase(std::next(found).base());
  return true;
}

/// Later messages follow: what has no result by now will have none.
void HistoryReader::close_calls() {
  for (const OpenCall& call : calls_) {
    if (call.answered) continue;
    note(call.message, call.written, "it had no result");
    if (!mends_) continue;
    ConversationMessage result{Role::tool, std::string(no_result)};
    result.tool_call_id = call.id;
    closed_.push_back({call, mended_.size(), notes_.size() - 1});
    put_in_.push_back(mended_.size());
    mended_.push_back(std::move(result));
  }
  calls_.clear();
  waiting_.close_all();
  if (demands_.unique_ids) return;
  ids_.clear();
  bytes_ = 0;
}

}  // namespace ctxmgr
