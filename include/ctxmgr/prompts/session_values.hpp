#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/prompts/prompt_composer.hpp"
#include "ctxmgr/session/context_store.hpp"

namespace ctxmgr {

struct SessionValuesOptions {
  std::map<std::string, Injection> pins{};         ///< Keys with an injection of their own; the rest goes by policy.
  std::map<std::string, ContentFormat> formats{};  ///< Keys that are not text: `json` where the template needs lists.
  std::size_t max_values = 1'000;                  ///< Most values; over it, `limit_exceeded`.
};

/// The values of a session as a PromptComposer takes them, in byte order of the keys, with the trust labels that they
/// are stored under. Kept artifacts are left out: builds list those by themselves. What an agent's handle may not read
/// is not there. One read a key: meant for once a session, or when a value has changed.
[[nodiscard]] CTXMGR_API Result<std::vector<PromptValue>> session_values(const ContextStore& store,
                                                                         const SessionValuesOptions& options = {},
                                                                         const CallOptions& call = {});

}  // namespace ctxmgr
