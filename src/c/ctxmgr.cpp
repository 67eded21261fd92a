#include "ctxmgr/c/ctxmgr.h"

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "c/callbacks.hpp"
#include "c/requests.hpp"
#include "c/thread.hpp"
#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"
#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/context_tools.hpp"
#ifdef CTXMGR_C_WITH_BPE
#include "ctxmgr/adapters/bpe_encoding.hpp"
#endif
#ifdef CTXMGR_C_WITH_SQLITE
#include "ctxmgr/adapters/sqlite_stores.hpp"
#endif

using ctxmgr::CallOptions;
using ctxmgr::ErrorCode;
using ctxmgr::Result;

struct ctxmgr_manager {
  ctxmgr::ContextManager manager;
  ctxmgr::ModelCatalog catalog;
  std::vector<std::shared_ptr<ctxmgr::TokenCounter>> counters;
  std::shared_ptr<ctxmgr::KeyValueStore> store;
};

struct ctxmgr_thread {
  explicit ctxmgr_thread(const ctxmgr_manager& of) : manager(of), thread(of.manager) {}

  const ctxmgr_manager& manager;
  ctxmgr::c::Thread thread;
};

namespace {

using Store = std::shared_ptr<ctxmgr::KeyValueStore>;

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

Result<Store> open_store(const std::string& name) {
  if (name.empty() || name == "memory") return Store(ctxmgr::make_memory_key_value_store());
  constexpr std::string_view sqlite = "sqlite:";
  if (std::string_view(name).substr(0, sqlite.size()) != sqlite)
    return ctxmgr::fail(ErrorCode::invalid_argument, "store: expected \"memory\" or \"sqlite:PATH\"");
#ifdef CTXMGR_C_WITH_SQLITE
  ctxmgr::SqliteOptions options;
  options.path = name.substr(sqlite.size());
  auto store = ctxmgr::make_sqlite_key_value_store(options);
  if (!store) return tl::unexpected(std::move(store.error()));
  return Store(std::move(*store));
#else
  return ctxmgr::fail(ErrorCode::invalid_argument, "store: this library was built without SQLite");
#endif
}

std::vector<std::shared_ptr<ctxmgr::TokenCounter>> own_counters() {
  std::vector<std::shared_ptr<ctxmgr::TokenCounter>> counters;
#ifdef CTXMGR_C_WITH_BPE
  for (const char* name : {"o200k_base", "cl100k_base"}) {
    if (auto counter = ctxmgr::make_bpe_token_counter(std::string_view(name))) counters.push_back(std::move(*counter));
  }
#endif
  return counters;
}

/// A host's counter that serves any model is the only one: a built-in vocabulary would be preferred to it.
std::vector<std::shared_ptr<ctxmgr::TokenCounter>> counters_of(const ctxmgr_callbacks& callbacks) {
  if (callbacks.count == nullptr) return own_counters();
  std::shared_ptr<ctxmgr::TokenCounter> of_host = ctxmgr::c::make_counter(callbacks);
  if (of_host->info().tokenizer.empty()) return {std::move(of_host)};
  auto counters = own_counters();
  counters.insert(counters.begin(), std::move(of_host));
  return counters;
}

Result<std::unique_ptr<ctxmgr_manager>> make_manager(std::string_view text, const ctxmgr_callbacks& callbacks) {
  auto read = ctxmgr::c::read_manager_options(text);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto store = callbacks.store == nullptr ? open_store(read->store) : ctxmgr::c::make_store(*callbacks.store);
  if (!store) return tl::unexpected(std::move(store.error()));
  ctxmgr::ContextManagerOptions options;
  options.catalog = read->catalog;
  options.analysis_cache_bytes = read->analysis_cache_bytes;
  options.summary_ttl = read->summary_ttl;
  options.token_counters = counters_of(callbacks);
  if (callbacks.complete != nullptr) options.client = ctxmgr::c::make_client(callbacks);
  if (callbacks.compaction != nullptr) options.compaction_hook = ctxmgr::c::make_compaction_hook(callbacks);
  if (callbacks.store != nullptr) options.summary_store = *store;
  auto counters = options.token_counters;
  return std::unique_ptr<ctxmgr_manager>(
      new ctxmgr_manager{ctxmgr::ContextManager(std::move(options)), read->catalog, std::move(counters), *store});
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

template <class Built>
std::string write_result(const Built& built) {
  const ctxmgr::Json state = built.thread_state.opaque;
  return "{\"body\":" + built.body + ",\"metadata\":" + built.metadata +
         ",\"thread_state\":" + ctxmgr::dump_json(state) + "}";
}

Result<std::string> build(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  const auto write = [](const auto& built) { return write_result(built); };
  switch (call.form) {
    case ctxmgr::c::Form::anthropic: {
      const auto places = call.place_cache_control ? ctxmgr::CacheControl::place : ctxmgr::CacheControl::keep;
      return ctxmgr::build_anthropic(manager.manager, call.body, std::move(call.options), {}, options, places)
          .map(write);
    }
    case ctxmgr::c::Form::responses:
      return ctxmgr::build_responses(manager.manager, call.body, std::move(call.options), {}, options).map(write);
    case ctxmgr::c::Form::openai: break;
  }
  return ctxmgr::build_openai(manager.manager, call.body, std::move(call.options), {}, options).map(write);
}

Result<ctxmgr::PlanPreview> preview_of(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  const auto options = call_options(call);
  switch (call.form) {
    case ctxmgr::c::Form::anthropic:
      return ctxmgr::plan_anthropic(manager.manager, call.body, std::move(call.options), {}, options);
    case ctxmgr::c::Form::responses:
      return ctxmgr::plan_responses(manager.manager, call.body, std::move(call.options), {}, options);
    case ctxmgr::c::Form::openai: break;
  }
  return ctxmgr::plan_openai(manager.manager, call.body, std::move(call.options), {}, options);
}

Result<std::string> plan(const ctxmgr_manager& manager, ctxmgr::c::BuildCall call) {
  const auto preview = preview_of(manager, std::move(call));
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
    auto made = make_manager(text->empty() ? "{}" : *text, *known);
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
                [&](ctxmgr::c::BuildCall call) -> Result<std::string> {
                  if (auto added = add_archive(*manager, call); !added) return tl::unexpected(std::move(added.error()));
                  return plan(*manager, std::move(call));
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
                    return asked.form == ctxmgr::c::Form::anthropic ? ctxmgr::to_anthropic_json(definitions)
                                                                    : ctxmgr::to_openai_json(definitions);
                  });
                });
}

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
