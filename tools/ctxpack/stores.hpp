#pragma once
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/context_store.hpp"

/// \file
/// Store URLs, the same for all subcommands: `memory:`, `sqlite:PATH`, `redis://host:port/db` (keys only),
/// `postgresql://…` and `mysql://…` (threads only).
namespace ctxpack {

/// `invalid_argument` for a URL of no known kind, of a kind that holds no keys, or whose component was not built.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::KeyValueStore>> open_key_value_store(const std::string& url);
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::ConversationStore>> open_conversation_store(
    const std::string& url);

/// The session that keeps what a build leaves out.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::ContextStore>> open_session(const std::string& url,
                                                                                 const std::string& session_id);

}  // namespace ctxpack
