#include "c/callbacks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/json/types.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ports/key_value_checks.hpp"

namespace ctxmgr::c {
namespace {

constexpr std::array codes = {
    std::pair{ErrorCode::cancelled, CTXMGR_CANCELLED},
    std::pair{ErrorCode::deadline_exceeded, CTXMGR_DEADLINE_EXCEEDED},
    std::pair{ErrorCode::invalid_argument, CTXMGR_INVALID_ARGUMENT},
    std::pair{ErrorCode::not_found, CTXMGR_NOT_FOUND},
    std::pair{ErrorCode::conflict, CTXMGR_CONFLICT},
    std::pair{ErrorCode::denied, CTXMGR_DENIED},
    std::pair{ErrorCode::unavailable, CTXMGR_UNAVAILABLE},
    std::pair{ErrorCode::bad_data, CTXMGR_BAD_DATA},
    std::pair{ErrorCode::budget_exceeded, CTXMGR_BUDGET_EXCEEDED},
    std::pair{ErrorCode::context_length_exceeded, CTXMGR_CONTEXT_LENGTH_EXCEEDED},
    std::pair{ErrorCode::limit_exceeded, CTXMGR_LIMIT_EXCEEDED},
    std::pair{ErrorCode::internal, CTXMGR_INTERNAL},
};

FinishReason finish_reason_of(const std::string* name) {
  if (name == nullptr) return FinishReason::other;
  if (*name == "stop") return FinishReason::stop;
  if (*name == "length") return FinishReason::length;
  if (*name == "tool_calls") return FinishReason::tool_calls;
  return *name == "content_filter" ? FinishReason::refusal : FinishReason::other;
}

}  // namespace

tl::unexpected<Error> failed(ctxmgr_code code, const char* what, std::string_view said) {
  auto message = "the host's " + std::string(what) + " failed";
  if (!said.empty()) message.append(": ").append(said);
  return fail(error_code_of(code), std::move(message));
}

std::string write_request(const LlmRequest& request) {
  Json json = Json::object();
  if (!request.model.empty()) json["model"] = request.model;
  json["messages"] = parse_json(to_openai_json(request.messages)).value_or(Json::array());
  if (!request.tools.empty()) json["tools"] = parse_json(to_openai_json(request.tools)).value_or(Json::array());
  if (request.temperature) json["temperature"] = *request.temperature;
  if (request.max_output_tokens) json["max_completion_tokens"] = *request.max_output_tokens;
  if (const auto schema = parse_json(request.response_schema_json); !request.response_schema_json.empty() && schema) {
    json["response_format"] = {{"type", "json_schema"},
                               {"json_schema", {{"name", "reply"}, {"strict", true}, {"schema", *schema}}}};
  }
  return dump_json(json);
}

Result<LlmResponse> read_completion(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) return fail(ErrorCode::bad_data, "the host's model: " + json.error().message);
  const Json* const choices = find_field(*json, "choices");
  if (choices == nullptr || !choices->is_array() || choices->empty())
    return fail(ErrorCode::bad_data, "the host's model: no choices");
  const Json& choice = choices->front();
  const Json* const message = find_field(choice, "message");
  if (message == nullptr) return fail(ErrorCode::bad_data, "the host's model: no message");
  auto read = from_json<ConversationMessage>(dump_json(*message));  // A shared library has no other way in.
  if (!read) return fail(ErrorCode::bad_data, "the host's model: " + read.error().message);
  LlmResponse response;
  response.message = std::move(*read);
  response.finish_reason = finish_reason_of(get_string(choice, "finish_reason"));
  if (const Json* const usage = find_field(*json, "usage")) {
    response.usage.prompt_tokens = std::max<std::int64_t>(0, get_int(*usage, "prompt_tokens").value_or(0));
    response.usage.completion_tokens = std::max<std::int64_t>(0, get_int(*usage, "completion_tokens").value_or(0));
  }
  response.usage.calls = 1;
  if (const auto* model = get_string(*json, "model")) response.model = *model;
  return response;
}

namespace {

std::int64_t milliseconds_left(const CallOptions& call) {
  if (!call.deadline) return -1;
  const auto left = *call.deadline - std::chrono::steady_clock::now();
  return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
}

/// A store over a host's functions.
class HostStore final : public KeyValueStore {
 public:
  explicit HostStore(const ctxmgr_store& host) : host_(host) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto wanted = check(check_read(name_space, keys), call); !wanted) return tl::unexpected(wanted.error());
    std::vector<const char*> data;
    std::vector<std::size_t> sizes;
    for (const auto& key : keys) data.push_back(key.data()), sizes.push_back(key.size());
    ctxmgr_values values{std::vector<std::optional<StoredValue>>(keys.size())};
    const auto code =
        host_.read(host_.user, name_space.data(), name_space.size(), data.data(), sizes.data(), keys.size(), &values);
    if (code != CTXMGR_OK) return failed(code, "store");
    return std::move(values.values);
  }

  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto wanted = check(check_write(name_space, changes), call); !wanted) return tl::unexpected(wanted.error());
    std::vector<ctxmgr_change> plain;
    for (const auto& change : changes) {
      const auto* const value = change.value ? &*change.value : nullptr;
      plain.push_back({change.key.data(), change.key.size(), value == nullptr ? nullptr : value->data(),
                       value == nullptr ? 0 : value->size(), change.ttl ? change.ttl->count() : -1,
                       change.expected_version ? 1 : 0, change.expected_version.value_or(0)});
    }
    std::uint64_t version = 0;
    const auto code =
        host_.write(host_.user, name_space.data(), name_space.size(), plain.data(), plain.size(), &version);
    if (code != CTXMGR_OK) return failed(code, "store");
    return version;
  }

  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (auto wanted = check(check_list(name_space, prefix, after_key), call); !wanted)
      return tl::unexpected(wanted.error());
    ctxmgr_keys keys;
    const auto code = host_.list(host_.user, name_space.data(), name_space.size(), prefix.data(), prefix.size(),
                                 after_key.data(), after_key.size(), limit, &keys);
    if (code != CTXMGR_OK) return failed(code, "store");
    keys.keys.resize(std::min(keys.keys.size(), limit));
    return std::move(keys.keys);
  }

  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    if (auto wanted = check(check_namespace(name_space), call); !wanted) return wanted;
    const auto code = host_.erase_namespace(host_.user, name_space.data(), name_space.size());
    if (code != CTXMGR_OK) return failed(code, "store");
    return {};
  }

 private:
  /// A host's functions hear of no call that is not wanted any more.
  static Result<void> check(const Result<void>& arguments, const CallOptions& call) {
    return arguments ? check_wanted(call) : arguments;
  }

  ctxmgr_store host_;
};

/// A hook over a host's function.
class HostHook final : public CompactionHook {
 public:
  explicit HostHook(const ctxmgr_callbacks& host) : user_(host.user), ask_(host.compaction) {}

  std::vector<std::size_t> before_compaction(const CompactionEvent& event) override {
    std::vector<std::size_t> kept;
    const auto reply = ask("before", event);
    const Json* const numbers = reply ? find_field(*reply, "keep") : nullptr;
    if (numbers == nullptr || !numbers->is_array()) return kept;
    for (std::size_t i = 0; i < numbers->size(); ++i)
      if (const auto number = to_int64((*numbers)[i]); number && *number > 0)
        kept.push_back(static_cast<std::size_t>(*number));
    return kept;
  }

  std::string after_compaction(const CompactionEvent& event) override {
    const auto reply = ask("after", event);
    const std::string* const text = reply ? get_string(*reply, "text") : nullptr;
    return text == nullptr ? std::string() : *text;
  }

 private:
  [[nodiscard]] Result<Json> ask(std::string_view phase, const CompactionEvent& event) const {
    auto report = parse_json(to_json(event.report));
    if (!report) return report;
    const auto text = dump_json({{"phase", phase}, {"scope", event.scope}, {"compaction", std::move(*report)}});
    ctxmgr_reply reply;
    const auto code = ask_(user_, text.data(), text.size(), &reply);
    if (code != CTXMGR_OK) return failed(code, "compaction hook");
    return parse_json(reply.text);
  }

  void* user_;
  ctxmgr_compaction_fn ask_;
};

}  // namespace

ctxmgr_code code_of(ErrorCode code) {
  const auto at = std::find_if(codes.begin(), codes.end(), [&](const auto& pair) { return pair.first == code; });
  return at == codes.end() ? CTXMGR_INTERNAL : at->second;
}

ErrorCode error_code_of(ctxmgr_code code) {
  const auto at = std::find_if(codes.begin(), codes.end(), [&](const auto& pair) { return pair.second == code; });
  return at == codes.end() ? ErrorCode::internal : at->first;
}

namespace {

/// Copies as much as the host's version of the struct has: the first of its fields is its size.
template <class Struct>
Result<Struct> copy_known(const Struct* given, const char* refusal) {
  Struct known{};
  if (given == nullptr) return known;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size || size % alignof(Struct) != 0) return fail(ErrorCode::invalid_argument, refusal);
  std::memcpy(&known, given, std::min(size, sizeof known));
  known.struct_size = sizeof known;
  return known;
}

}  // namespace

Result<ctxmgr_callbacks> known_fields(const ctxmgr_callbacks* given) {
  return copy_known(given, "ctxmgr_callbacks: struct_size is the size of no version");
}
Result<ctxmgr_store> known_fields(const ctxmgr_store* given) {
  return copy_known(given, "ctxmgr_store: struct_size is the size of no version");
}

std::shared_ptr<LlmClient> make_client(const ctxmgr_callbacks& callbacks) {
  const auto complete = callbacks.complete;
  void* const user = callbacks.user;
  return make_llm_client([complete, user](const LlmRequest& request, const CallOptions& call) -> Result<LlmResponse> {
    const auto text = write_request(request);
    ctxmgr_reply reply;
    const auto code = complete(user, text.data(), text.size(), milliseconds_left(call), &reply);
    if (code != CTXMGR_OK) return failed(code, "model", reply.text);
    return read_completion(reply.text);
  });
}

std::shared_ptr<TokenCounter> make_counter(const ctxmgr_callbacks& callbacks) {
  const auto count = callbacks.count;
  void* const user = callbacks.user;
  return make_token_counter([count, user](std::string_view text) { return count(user, text.data(), text.size()); },
                            {callbacks.tokenizer == nullptr ? "" : callbacks.tokenizer, callbacks.count_is_exact != 0});
}

std::shared_ptr<CompactionHook> make_compaction_hook(const ctxmgr_callbacks& callbacks) {
  return std::make_shared<HostHook>(callbacks);
}

Result<std::shared_ptr<KeyValueStore>> make_store(const ctxmgr_store& store) {
  const auto known = known_fields(&store);
  if (!known) return tl::unexpected(known.error());
  if (known->read == nullptr || known->write == nullptr || known->list == nullptr || known->erase_namespace == nullptr)
    return fail(ErrorCode::invalid_argument, "ctxmgr_store: a function is missing");
  return std::make_shared<HostStore>(*known);
}

}  // namespace ctxmgr::c
