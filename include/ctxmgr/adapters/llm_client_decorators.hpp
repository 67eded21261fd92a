#pragma once
#include <memory>
#include <string>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// Clients that record another client's answers, and that play them back.
/// Thread-safety: all methods of both may be called from several threads at once.
namespace ctxmgr {

/// Appends each request and its reply to a JSONL file, the cassette: prompts and replies in full, created for its owner
/// alone. Keys are in no request and so not in it. `invalid_argument` if there is no client or the file cannot be opened.
/// A reply that cannot be written down fails with `limit_exceeded`. `complete_all` is passed on as one call.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<LlmClient>> make_recording_llm_client(std::shared_ptr<LlmClient> inner,
                                                                                      const std::string& path);

/// Answers from a cassette, without a model: equal requests get the replies that were recorded for them, in order, the
/// last one again and again. `not_found` for a request that is not there; `invalid_argument` if the file is none.
[[nodiscard]] CTXMGR_API Result<std::unique_ptr<LlmClient>> make_replaying_llm_client(const std::string& path);

}  // namespace ctxmgr
