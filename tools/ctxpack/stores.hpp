#pragma once
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/conversation_store.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/session/context_store.hpp"

/// \file
/// Store URLs, the same for all subcommands: `sqlite:PATH`, `redis://host:port/db` (keys only), `postgresql://…` and
/// `mysql://…` (threads only).
namespace ctxpack {

/// Where attachments are kept, by the proxy and for all commands.
inline constexpr const char* attachments_name_space = "ctxpack.attachments";

/// What happens where the file of an SQLite store is not there.
enum class MissingFile {
  create,  ///< For what writes.
  refuse,  ///< `not_found`, for what reads: a mistyped path must not leave an empty file behind.
};

/// `invalid_argument` for a URL of no known kind, of a kind that holds no threads, or whose component was not built.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::ConversationStore>> open_conversation_store(const std::string& url,
                                                                                                 MissingFile missing);

/// Keys and values of all namespaces. Errors as above, for keys.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::KeyValueStore>> open_key_value_store(const std::string& url,
                                                                                          MissingFile missing);

/// The session that keeps what a build leaves out. Errors as above, for keys.
[[nodiscard]] ctxmgr::Result<std::shared_ptr<ctxmgr::ContextStore>> open_session(const std::string& url,
                                                                                 const std::string& session_id,
                                                                                 MissingFile missing);

}  // namespace ctxpack
