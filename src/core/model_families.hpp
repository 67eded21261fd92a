#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ctxmgr {

/// The window of a model that runs anywhere, by the family in its name: "llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct",
/// "/models/qwen2.5-7b-instruct-q4_k_m.gguf". What it was trained for, in tokens; a server may be started with less. Nothing
/// for a name of no family. `docs/json.md` says where the windows are from.
[[nodiscard]] std::optional<std::int64_t> family_window(std::string_view model);

}  // namespace ctxmgr
