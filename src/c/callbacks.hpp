#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/c/ctxmgr.h"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/compaction_hook.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/llm_client.hpp"
#include "ctxmgr/ports/token_counter.hpp"

struct ctxmgr_text {
  std::string text;
};
struct ctxmgr_reply {
  std::string text;
};
struct ctxmgr_values {
  std::vector<std::optional<ctxmgr::StoredValue>> values;
};
struct ctxmgr_keys {
  std::vector<ctxmgr::KeyInfo> keys;
};

/// The ports over a C host's functions.
namespace ctxmgr::c {

[[nodiscard]] ctxmgr_code code_of(ErrorCode code);

/// `internal` for a number that is no code.
[[nodiscard]] ErrorCode error_code_of(ctxmgr_code code);

/// What a host of this or an older version has filled in; the fields that it did not know are NULL. `invalid_argument`
/// for a size that no version had. All fields are NULL where `given` is.
[[nodiscard]] Result<ctxmgr_callbacks> known_fields(const ctxmgr_callbacks* given);
[[nodiscard]] Result<ctxmgr_store> known_fields(const ctxmgr_store* given);

/// A chat request as services with OpenAI's form take it.
[[nodiscard]] std::string write_request(const LlmRequest& request);

/// `bad_data` for anything but a chat completion with a message.
[[nodiscard]] Result<LlmResponse> read_completion(const std::string& text);

/// A failure of the host's own: what failed, and what it said.
[[nodiscard]] tl::unexpected<Error> failed(ctxmgr_code code, const char* what, std::string_view said = {});

/// `callbacks.complete` is set.
[[nodiscard]] std::shared_ptr<LlmClient> make_client(const ctxmgr_callbacks& callbacks);

/// `callbacks.count` is set.
[[nodiscard]] std::shared_ptr<TokenCounter> make_counter(const ctxmgr_callbacks& callbacks);

/// `callbacks.compaction` is set.
[[nodiscard]] std::shared_ptr<CompactionHook> make_compaction_hook(const ctxmgr_callbacks& callbacks);

/// `invalid_argument` where a function is missing.
[[nodiscard]] Result<std::shared_ptr<KeyValueStore>> make_store(const ctxmgr_store& store);

}  // namespace ctxmgr::c
