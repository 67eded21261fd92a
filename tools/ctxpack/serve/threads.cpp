#include "serve/threads.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace ctxpack::serve {
namespace {

constexpr const char* states = "ctxpack.threads";
constexpr const char* receipts = "ctxpack.receipts";
constexpr std::chrono::hours kept_for{30 * 24};

void write(ctxmgr::KeyValueStore& store, const char* name_space, const std::string& key, const std::string& value) {
  static_cast<void>(store.write(name_space, {{key, value, kept_for, {}}}, {}));
}

}  // namespace

void Threads::prepare(const std::string& thread, ctxmgr::BuildRequest& request) const {
  request.scope = thread;
  const auto found = store_->read(states, {thread}, {});
  if (found && found->front()) request.thread_state.opaque = found->front()->value;
}

std::shared_ptr<ctxmgr::ContextStore> Threads::session(const std::string& thread) const {
  ctxmgr::ContextStoreOptions options;
  options.session_id = thread;
  options.store = store_;
  auto session = ctxmgr::ContextStore::open(std::move(options));
  return session ? std::move(*session) : nullptr;
}

void Threads::remember(const std::string& thread, const ctxmgr::ThreadState& state) const {
  if (!state.opaque.empty()) write(*store_, states, thread, state.opaque);
}

void Threads::keep_receipt(const std::string& id, const std::string& json) const { write(*store_, receipts, id, json); }

ctxmgr::Result<std::string> Threads::receipt(const std::string& id) const {
  const auto found = store_->read(receipts, {id}, {});
  if (!found) return tl::unexpected(found.error());
  if (!found->front()) return ctxmgr::fail(ctxmgr::ErrorCode::not_found, "there is no such receipt");
  return found->front()->value;
}

}  // namespace ctxpack::serve
