#include "ctxmgr/c/ctxmgr.h"

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "c/callbacks.hpp"
#include "c/manager.hpp"
#include "c/preparation.hpp"
#include "c/requests.hpp"
#include "c/thread.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/context_tools.hpp"
#include "ctxmgr/wire.hpp"

using ctxmgr::CallOptions;
using ctxmgr::ErrorCode;
using ctxmgr::Result;

struct ctxmgr_thread {
  explicit ctxmgr_thread(const ctxmgr_manager& of) : manager(of), thread(of.manager) {}

  const ctxmgr_manager& manager;
  ctxmgr::c::Thread thread;
};

struct ctxmgr_preparation {
  explicit ctxmgr_preparation(ctxmgr::ContextBuild build) : preparation(std::move(build)) {}

  ctxmgr::c::Preparation preparation;
};

namespace {

void put(ctxmgr_text** where, std::string text) {
  if (where != nullptr) *where = new ctxmgr_text{std::move(text)};
}

/// A message of the library in the words of the JSON, which has the fields of `budget` beside the others.
std::string in_fields_of_json(std::string message) {
  constexpr std::string_view of_budget = "budget.";
  for (auto at = message.find(of_budget); at != std::string::npos; at = message.find(of_budget, at))
    message.erase(at, of_budget.size());
  return message;
}

/// Runs a call of the interface: no exception leaves it, and a failure's message goes where the host wants it.
template <class Work>
ctxmgr_code run(ctxmgr_text** error, Work work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    Result<void> done = work();
    if (done) return CTXMGR_OK;
    put(error, in_fields_of_json(done.error().message));
    return ctxmgr::c::code_of(done.error().code);
  } catch (const std::exception&) {
    return CTXMGR_INTERNAL;  // out of memory: a message would need some
  }
}

Result<std::string_view> text_of(const char* data, std::size_t size) {
  if (data == nullptr && size > 0) return ctxmgr::fail(ErrorCode::invalid_argument, "a text is NULL");
  return std::string_view(data == nullptr ? "" : data, size);
}

tl::unexpected<ctxmgr::Error> missing(const char* what) {
  return ctxmgr::fail(ErrorCode::invalid_argument, std::string(what) + " is NULL");
}

Result<std::shared_ptr<ctxmgr::ContextStore>> open_session(const ctxmgr_manager& manager, const std::string& session) {
  return ctxmgr::ContextStore::open({session, manager.store});
}

/// What a session keeps for a build; null without one.
Result<void> add_archive(const ctxmgr_manager& manager, ctxmgr::c::BuildCall& call) {
  if (call.session.empty()) return {};
  auto session = open_session(manager, call.session);
  if (!session) return tl::unexpected(std::move(session.error()));
  call.options.archive = std::move(*session);
  if (call.options.scope.empty()) call.options.scope = call.session;
  return {};
}

CallOptions call_options(const ctxmgr::c::BuildCall& call) {
  CallOptions options;
  if (call.deadline_ms)
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(*call.deadline_ms);
  return options;
}

ctxmgr::WireOptions wire_options(ctxmgr::c::BuildCall& call) {
  ctxmgr::WireOptions options;
  options.request = std::move(call.options);
  if (call.place_cache_control) options.cache_control = ctxmgr::CacheControl::place;
  return options;
}

Result<std::string> build(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  return ctxmgr::build_wire(manager.manager, call.form, call.body, wire_options(call), options)
      .map([](const ctxmgr::BuiltWire& built) {
        return "{\"body\":" + built.body + ",\"metadata\":" + ctxmgr::to_json(built.metadata) +
               ",\"thread_state\":" + ctxmgr::dump_json(ctxmgr::Json(built.thread_state.opaque)) + "}";
      });
}

/// A call with what its session keeps, as the manager takes it.
Result<ctxmgr::WireRequest> request_of(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  if (auto added = add_archive(manager, call); !added) return tl::unexpected(std::move(added.error()));
  const auto options = call_options(call);
  return ctxmgr::read_wire(call.form, call.body, wire_options(call), options);
}

/// The same of a thread.
Result<ctxmgr::WireRequest> request_of(ctxmgr_thread& thread, ctxmgr::c::BuildCall call) {
  if (auto added = add_archive(thread.manager, call); !added) return tl::unexpected(std::move(added.error()));
  const auto options = call_options(call);
  return thread.thread.copy(std::move(call), options);
}

template <class Of>
Result<std::string> prepare(const ctxmgr_manager& manager, Of& of, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  const auto in = request_of(of, std::move(call));
  if (!in) return tl::unexpected(in.error());
  return manager.manager.prepare_compaction(in->context, in->request, options).map(ctxmgr::c::write_usage);
}

template <class Of>
Result<ctxmgr_preparation*> start_preparing(const ctxmgr_manager& manager, Of& of, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  const auto in = request_of(of, std::move(call));
  if (!in) return tl::unexpected(in.error());
  return manager.manager.start_compaction(in->context, in->request, options).map([](ctxmgr::ContextBuild started) {
    return new ctxmgr_preparation(std::move(started));
  });
}

Result<std::string> plan(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  const auto in = request_of(manager, std::move(call));
  if (!in) return tl::unexpected(in.error());
  const auto preview = manager.manager.plan(in->context, in->request, options);
  if (!preview) return tl::unexpected(preview.error());
  ctxmgr::Json gate = {{"would_use_llm", preview->would_use_llm},
                       {"gate_reason", preview->gate_reason},
                       {"expected_llm_calls", preview->expected_llm_calls},
                       {"expected_cost_usd", preview->expected_cost_usd},
                       {"tokens_saved", preview->tokens_saved}};
  auto text = ctxmgr::dump_json(gate);
  text.pop_back();
  return text + ",\"plan\":" + ctxmgr::to_json(preview->plan) + ",\"metadata\":" + ctxmgr::to_json(preview->metadata) +
         "}";
}

Result<std::shared_ptr<ctxmgr::ContextTools>> open_tools(const ctxmgr_manager& manager,
                                                         const ctxmgr::c::ToolRequest& request) {
  auto session = open_session(manager, request.session);
  if (!session) return tl::unexpected(std::move(session.error()));
  auto store = request.agent.empty() ? *session : (*session)->as_agent(request.agent);
  ctxmgr::ContextToolsOptions options;
  if (!manager.counters.empty()) options.token_counter = manager.counters.front();
  return std::make_shared<ctxmgr::ContextTools>(std::move(store), std::move(options));
}

/// Reads a request, works on it, and hands out the answer.
template <class Read, class Work>
ctxmgr_code answer(const ctxmgr_manager* manager, const char* request, std::size_t size, ctxmgr_text** result,
                   ctxmgr_text** error, Read read, Work work) noexcept {
  if (result != nullptr) *result = nullptr;
  return run(error, [&]() -> Result<void> {
    if (manager == nullptr || result == nullptr) return missing(manager == nullptr ? "the manager" : "the result");
    return text_of(request, size).and_then(read).and_then(work).map([&](std::string text) {
      put(result, std::move(text));
    });
  });
}

/// Reads a request, and hands out what was started.
template <class Of>
ctxmgr_code start(const ctxmgr_manager* manager, Of* of, const char* request, std::size_t size,
                  ctxmgr_preparation** preparation, ctxmgr_text** error) noexcept {
  if (preparation != nullptr) *preparation = nullptr;
  return run(error, [&]() -> Result<void> {
    if (manager == nullptr || preparation == nullptr)
      return missing(manager == nullptr ? "the manager" : "the preparation");
    return text_of(request, size)
        .and_then(ctxmgr::c::read_build_call)
        .and_then([&](ctxmgr::c::BuildCall call) { return start_preparing(*manager, *of, std::move(call)); })
        .map([&](ctxmgr_preparation* started) { *preparation = started; });
  });
}

}  // namespace

extern "C" {

const char* ctxmgr_code_name(ctxmgr_code code) {
  if (code == CTXMGR_OK) return "ok";
  if (code < CTXMGR_OK || code > CTXMGR_INTERNAL) return "unknown";
  return ctxmgr::to_string(ctxmgr::c::error_code_of(code)).data();  // of literals, which end with a zero byte
}

const char* ctxmgr_version(void) { return CTXMGR_C_VERSION; }

const char* ctxmgr_text_data(const ctxmgr_text* text) { return text == nullptr ? "" : text->text.c_str(); }
size_t ctxmgr_text_size(const ctxmgr_text* text) { return text == nullptr ? 0 : text->text.size(); }
void ctxmgr_text_free(ctxmgr_text* text) { delete text; }

void ctxmgr_reply_set(ctxmgr_reply* reply, const char* data, size_t size) {
  if (reply != nullptr && (data != nullptr || size == 0)) reply->text.assign(data == nullptr ? "" : data, size);
}

void ctxmgr_values_set(ctxmgr_values* values, size_t index, const char* data, size_t size, uint64_t version) {
  if (values == nullptr || index >= values->values.size() || (data == nullptr && size > 0)) return;
  values->values[index] = ctxmgr::StoredValue{std::string(data == nullptr ? "" : data, size), version};
}

void ctxmgr_keys_add(ctxmgr_keys* keys, const char* key, size_t size, size_t value_bytes) {
  if (keys != nullptr && key != nullptr) keys->keys.push_back({std::string(key, size), value_bytes});
}

ctxmgr_code ctxmgr_manager_create(const char* options, size_t size, const ctxmgr_callbacks* callbacks,
                                  ctxmgr_manager** manager, ctxmgr_text** error) {
  if (manager != nullptr) *manager = nullptr;
  return run(error, [&]() -> Result<void> {
    if (manager == nullptr) return missing("the manager");
    const auto known = ctxmgr::c::known_fields(callbacks);
    if (!known) return tl::unexpected(known.error());
    const auto text = text_of(options, size);
    if (!text) return tl::unexpected(text.error());
    auto made = ctxmgr::c::make_manager(text->empty() ? "{}" : *text, *known);
    if (!made) return tl::unexpected(std::move(made.error()));
    *manager = made->release();
    return {};
  });
}

void ctxmgr_manager_destroy(ctxmgr_manager* manager) { delete manager; }

ctxmgr_code ctxmgr_build(const ctxmgr_manager* manager, const char* request, size_t size, ctxmgr_text** result,
                         ctxmgr_text** error) {
  return answer(manager, request, size, result, error, ctxmgr::c::read_build_call,
                [&](ctxmgr::c::BuildCall call) -> Result<std::string> {
                  if (auto added = add_archive(*manager, call); !added) return tl::unexpected(std::move(added.error()));
                  return build(*manager, std::move(call));
                });
}

ctxmgr_code ctxmgr_thread_create(const ctxmgr_manager* manager, ctxmgr_thread** thread, ctxmgr_text** error) {
  if (thread != nullptr) *thread = nullptr;
  return run(error, [&]() -> Result<void> {
    if (manager == nullptr || thread == nullptr) return missing(manager == nullptr ? "the manager" : "the thread");
    *thread = new ctxmgr_thread(*manager);
    return {};
  });
}

void ctxmgr_thread_destroy(ctxmgr_thread* thread) { delete thread; }

ctxmgr_code ctxmgr_thread_build(ctxmgr_thread* thread, const char* request, size_t size, ctxmgr_text** result,
                                ctxmgr_text** error) {
  const ctxmgr_manager* const manager = thread == nullptr ? nullptr : &thread->manager;
  return answer(manager, request, size, result, error, ctxmgr::c::read_thread_call,
                [&](ctxmgr::c::ThreadCall call) -> Result<std::string> {
                  if (auto added = add_archive(*manager, call.build); !added)
                    return tl::unexpected(std::move(added.error()));
                  const auto options = call_options(call.build);
                  return thread->thread.build(std::move(call), options);
                });
}

ctxmgr_code ctxmgr_plan(const ctxmgr_manager* manager, const char* request, size_t size, ctxmgr_text** result,
                        ctxmgr_text** error) {
  return answer(manager, request, size, result, error, ctxmgr::c::read_build_call,
                [&](ctxmgr::c::BuildCall call) { return plan(*manager, std::move(call)); });
}

ctxmgr_code ctxmgr_explain(const char* metadata, size_t size, ctxmgr_text** result, ctxmgr_text** error) {
  if (result != nullptr) *result = nullptr;
  return run(error, [&]() -> Result<void> {
    if (result == nullptr) return missing("the result");
    return text_of(metadata, size)
        .and_then(ctxmgr::from_json<ctxmgr::ContextUtilizationMetadata>)
        .map([&](const auto& receipt) { put(result, ctxmgr::explain(receipt)); });
  });
}

ctxmgr_code ctxmgr_prepare_compaction(const ctxmgr_manager* manager, const char* request, size_t size,
                                      ctxmgr_text** result, ctxmgr_text** error) {
  return answer(manager, request, size, result, error, ctxmgr::c::read_build_call,
                [&](ctxmgr::c::BuildCall call) { return prepare(*manager, *manager, std::move(call)); });
}

ctxmgr_code ctxmgr_thread_prepare_compaction(ctxmgr_thread* thread, const char* request, size_t size,
                                             ctxmgr_text** result, ctxmgr_text** error) {
  const ctxmgr_manager* const manager = thread == nullptr ? nullptr : &thread->manager;
  return answer(manager, request, size, result, error, ctxmgr::c::read_build_call,
                [&](ctxmgr::c::BuildCall call) { return prepare(*manager, *thread, std::move(call)); });
}

ctxmgr_code ctxmgr_start_compaction(const ctxmgr_manager* manager, const char* request, size_t size,
                                    ctxmgr_preparation** preparation, ctxmgr_text** error) {
  return start(manager, manager, request, size, preparation, error);
}

ctxmgr_code ctxmgr_thread_start_compaction(ctxmgr_thread* thread, const char* request, size_t size,
                                           ctxmgr_preparation** preparation, ctxmgr_text** error) {
  return start(thread == nullptr ? nullptr : &thread->manager, thread, request, size, preparation, error);
}

void ctxmgr_preparation_destroy(ctxmgr_preparation* preparation) { delete preparation; }

ctxmgr_code ctxmgr_preparation_next(ctxmgr_preparation* preparation, ctxmgr_text** result, ctxmgr_text** error) {
  if (result != nullptr) *result = nullptr;
  return run(error, [&]() -> Result<void> {
    if (preparation == nullptr || result == nullptr)
      return missing(preparation == nullptr ? "the preparation" : "the result");
    put(result, preparation->preparation.next());
    return {};
  });
}

ctxmgr_code ctxmgr_preparation_reply(ctxmgr_preparation* preparation, uint64_t id, ctxmgr_code code, const char* reply,
                                     size_t size, ctxmgr_text** error) {
  return run(error, [&]() -> Result<void> {
    if (preparation == nullptr) return missing("the preparation");
    const auto text = text_of(reply, size);
    if (!text) return tl::unexpected(text.error());
    return preparation->preparation.reply(id, code, *text);
  });
}

ctxmgr_code ctxmgr_count(const ctxmgr_manager* manager, const char* model, size_t model_size, const char* text,
                         size_t text_size, int64_t* tokens, ctxmgr_text** error) {
  return run(error, [&]() -> Result<void> {
    if (manager == nullptr || tokens == nullptr) return missing(manager == nullptr ? "the manager" : "the count");
    const auto name = text_of(model, model_size), counted = text_of(text, text_size);
    if (!name || !counted) return tl::unexpected(name ? counted.error() : name.error());
    const auto tokenizer = manager->catalog.find(*name).tokenizer;
    for (const auto& counter : manager->counters) {
      const auto info = counter->info();
      if (!name->empty() && info.tokenizer != tokenizer && !info.tokenizer.empty()) continue;
      *tokens = counter->count(*counted);
      return {};
    }
    *tokens = ctxmgr::make_approximate_token_counter()->count(*counted);
    return {};
  });
}

ctxmgr_code ctxmgr_tools(const ctxmgr_manager* manager, const char* request, size_t size, ctxmgr_text** result,
                         ctxmgr_text** error) {
  return answer(manager, request, size, result, error, ctxmgr::c::read_tool_request,
                [&](const ctxmgr::c::ToolRequest& asked) {
                  return open_tools(*manager, asked).map([&](const auto& tools) {
                    const auto definitions = tools->definitions();
                    return asked.form == ctxmgr::WireForm::anthropic ? ctxmgr::to_anthropic_json(definitions)
                                                                     : ctxmgr::to_openai_json(definitions);
                  });
                });
}

// A literal, so that it ends with a zero byte.
const char* ctxmgr_tool_instructions(void) { return ctxmgr::ContextTools::instructions().data(); }

ctxmgr_code ctxmgr_call_tool(const ctxmgr_manager* manager, const char* request, size_t size, ctxmgr_text** result,
                             ctxmgr_text** error) {
  return answer(manager, request, size, result, error, ctxmgr::c::read_tool_request,
                [&](const ctxmgr::c::ToolRequest& asked) -> Result<std::string> {
                  auto tools = open_tools(*manager, asked);
                  if (!tools) return tl::unexpected(std::move(tools.error()));
                  if (!(*tools)->handles(asked.name))
                    return ctxmgr::fail(ErrorCode::not_found, "there is no tool of that name here");
                  ctxmgr::ToolCall call;
                  call.id = asked.id;
                  call.name = asked.name;
                  call.arguments_json = asked.arguments;
                  return ctxmgr::to_json((*tools)->run(call));
                });
}

}  // extern "C"
