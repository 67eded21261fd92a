#include "c/thread.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "core/instruction_role.hpp"
#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"

namespace ctxmgr::c {
namespace {

std::size_t hash_of(const ConversationMessage& message) { return std::hash<std::string>()(to_json(message)); }

/// Calls of the old form have no id: they are told apart by what stands before them, which is not read again.
bool is_of_the_old_form(const Json& message) {
  const std::string* const role = get_string(message, "role");
  return find_field(message, "function_call") != nullptr || (role != nullptr && *role == "function");
}

Result<void> check(const BuildCall& call) {
  if (call.form != WireForm::openai) return fail(ErrorCode::invalid_argument, "form: a thread holds a chat request");
  if (call.options.tools_budget) return fail(ErrorCode::invalid_argument, "tools_budget: a thread sends all its tools");
  if (call.options.history.service_compacts_at)
    return fail(ErrorCode::invalid_argument, "history.service_compacts_at: a chat request cannot ask for it");
  return {};
}

/// The messages of a body, which are taken out of it.
Result<Json> take_messages(Json& body) {
  if (!body.is_object()) return fail(ErrorCode::invalid_argument, "body: a thread takes a request, not a list");
  const Json* const given = find_field(body, "messages");
  Json messages = given == nullptr ? Json::array() : *given;
  body.erase("messages");
  if (!messages.is_array()) return fail(ErrorCode::invalid_argument, "/messages: expected an array");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].is_object() && is_of_the_old_form(messages[i]))
      return fail(ErrorCode::invalid_argument, "a thread takes tool calls, not the functions of the old form");
  }
  return messages;
}

/// What the request says of itself goes before what the host set.
void apply(WireRequest& read, BuildRequest& request) {
  if (!read.request.models.primary.empty()) request.models.primary = std::move(read.request.models.primary);
  if (!read.request.tools.empty()) request.tools = std::move(read.request.tools);
  std::move(read.request.pinned_tools.begin(), read.request.pinned_tools.end(),
            std::back_inserter(request.pinned_tools));
  if (read.request.budget.reserved_output_tokens)
    request.budget.reserved_output_tokens = read.request.budget.reserved_output_tokens;
}

}  // namespace

Result<ThreadCall> read_thread_call(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return tl::unexpected(std::move(json.error()));
  ThreadCall call;
  if (const Json* const keep = find_field(*json, "keep")) {
    call.keep = get_int(*json, "keep");
    if (!call.keep || *call.keep < 0) return fail(ErrorCode::invalid_argument, "keep: expected a number of messages");
    json->erase("keep");
  }
  auto build = read_build_call(dump_json(*json));
  if (!build) return tl::unexpected(std::move(build.error()));
  call.build = std::move(*build);
  return call;
}

namespace {

/// What a body says beside the thread's messages, and those that are new. No request is without a message; the one that
/// stands in for none is taken out.
Result<WireRequest> read_added(const Json& body, const Json& messages, BuildRequest request,
                               const CallOptions& options) {
  Json to_read = body;
  to_read["messages"] = messages.empty() ? Json::array({Json{{"role", "user"}, {"content", "-"}}}) : messages;
  auto read = parse_openai_request(dump_json(to_read), {}, options);
  if (!read) return read;
  if (messages.empty()) read->context.conversation_history.clear();
  apply(*read, request);
  read->request = std::move(request);
  return read;
}

}  // namespace

Result<WireRequest> Thread::copy(BuildCall call, const CallOptions& options) {
  const std::scoped_lock lock(mutex_);
  if (auto checked = check(call); !checked) return tl::unexpected(std::move(checked.error()));
  auto body = parse_json(call.body);
  if (!body) return tl::unexpected(std::move(body.error()));
  auto messages = take_messages(*body);
  if (!messages) return tl::unexpected(std::move(messages.error()));
  if (!messages->empty()) return fail(ErrorCode::invalid_argument, "/messages: a preparation takes no new ones");
  auto read = read_added(*body, *messages, std::move(call.options), options);
  if (!read) return read;
  if (read->request.thread_state.opaque.empty()) read->request.thread_state.opaque = state_;
  read->context.conversation_history = context_.conversation_history;
  return read;
}

Result<std::string> Thread::build(ThreadCall call, const CallOptions& options) {
  const std::scoped_lock lock(mutex_);
  if (auto checked = check(call.build); !checked) return tl::unexpected(std::move(checked.error()));
  auto body = parse_json(call.build.body);
  if (!body) return tl::unexpected(std::move(body.error()));
  auto messages = take_messages(*body);
  if (!messages) return tl::unexpected(std::move(messages.error()));
  const std::size_t all = written_.size();
  const auto keep = static_cast<std::size_t>(call.keep.value_or(static_cast<std::int64_t>(all)));
  if (keep > all) return fail(ErrorCode::invalid_argument, "keep: the thread has fewer messages");

  auto read = read_added(*body, *messages, std::move(call.build.options), options);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto& request = read->request;
  if (request.thread_state.opaque.empty()) request.thread_state.opaque = state_;

  Tail added;
  added.read = std::move(read->context.conversation_history);
  for (std::size_t i = 0; i < messages->size(); ++i) added.written.push_back(dump_json((*messages)[i]));
  Tail removed = cut(keep);
  append(std::move(added));
  context_.artifacts = std::move(read->context.artifacts);
  context_.step_records = std::move(read->context.step_records);
  auto built = build_all(*body, request, options);
  if (!built) {
    (void)cut(keep);
    append(std::move(removed));
  }
  return built;
}

Thread::Tail Thread::cut(std::size_t keep) {
  auto& history = context_.conversation_history;
  const auto from = static_cast<std::ptrdiff_t>(keep);
  Tail tail{{std::make_move_iterator(history.begin() + from), std::make_move_iterator(history.end())},
            {std::make_move_iterator(written_.begin() + from), std::make_move_iterator(written_.end())}};
  history.erase(history.begin() + from, history.end());
  written_.resize(keep);
  hashes_.resize(keep);
  return tail;
}

void Thread::append(Tail tail) {
  for (auto& message : tail.read) {
    hashes_.push_back(hash_of(message));
    context_.conversation_history.push_back(std::move(message));
  }
  std::move(tail.written.begin(), tail.written.end(), std::back_inserter(written_));
}

Result<std::string> Thread::build_all(const Json& body, const BuildRequest& request, const CallOptions& options) {
  const auto& history = context_.conversation_history;
  if (history.empty()) return fail(ErrorCode::invalid_argument, "/messages: there are none");
  auto built = manager_.build(context_, request, options);
  if (!built) return tl::unexpected(std::move(built.error()));
  if (!are_only_instructions(history) && are_only_instructions(built->messages))
    return fail(ErrorCode::budget_exceeded, "beside the instructions no message fits the budget");
  Json sent = body;
  sent["messages"] = unchanged(built->messages);
  auto text = with_messages(dump_json(sent), built->messages);
  if (!text) return tl::unexpected(std::move(text.error()));
  state_ = built->thread_state.opaque;
  return "{\"body\":" + *text + ",\"metadata\":" + to_json(built->metadata) +
         ",\"thread_state\":" + dump_json(Json(state_)) + "}";
}

/// Those of the messages that were built which are as they came, as they came. Both lists are in one order.
Json Thread::unchanged(const std::vector<ConversationMessage>& built) const {
  Json messages = Json::array();
  auto next = hashes_.begin();
  for (const auto& message : built) {
    const auto found = std::find(next, hashes_.end(), hash_of(message));
    if (found == hashes_.end()) continue;
    const auto at = static_cast<std::size_t>(found - hashes_.begin());
    if (to_json(context_.conversation_history[at]) != to_json(message)) continue;
    messages.push_back(parse_json(written_[at]).value_or(Json::object()));
    next = found + 1;
  }
  return messages;
}

}  // namespace ctxmgr::c
