#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr {

/// The names under which a catalogue may have a model, the most exact first and in lower case: as given, without a
/// provider ("openrouter/openai/gpt-4o", "us.anthropic.claude-…"), without a fine-tune, variant or version
/// ("ft:gpt-4o:acme", ":free", "-v1:0", "@20250514"), without a date ("-2024-08-06", "-latest").
[[nodiscard]] std::vector<std::string> candidate_model_names(std::string_view model);

/// The vocabulary of a model of OpenAI, by what its name begins with (as tiktoken's `model.py` has it); else empty.
[[nodiscard]] std::string_view tokenizer_of(std::string_view model);

/// Whose vocabulary a model has, as far as estimates tell them apart.
enum class VocabularyFamily { unknown, o200k, qwen, gemini, deepseek, llama };
inline constexpr std::size_t vocabulary_families = 6;

/// By the model's name, whoever serves it. Claude is counted as o200k_base: nobody has its own.
[[nodiscard]] VocabularyFamily vocabulary_family(std::string_view model);

/// What is known of a model that runs anywhere, by the family in its name: "llama3.1:8b",
/// "meta-llama/Llama-3.1-8B-Instruct", "/models/qwen2.5-7b-instruct-q4_k_m.gguf".
struct ModelFamily {
  std::int64_t context_window_tokens = 0;  ///< What the model was trained for; a server may be started with less.

  /// What its chat template takes beyond what a `TokenCounter` frames with: for each message, and once for a request.
  std::int64_t message_overhead = 0;
  std::int64_t request_overhead = 0;
};

/// Nothing for a name of no family. `docs/json.md` says where the windows are from.
[[nodiscard]] std::optional<ModelFamily> model_family(std::string_view model);

/// How many billion parameters the name speaks of: 0.5 of "qwen2.5:0.5b", 0.27 of "gemma3-270m"; the most of several
/// ("qwen3-30b-a3b"). Nothing for a name without a size. Millions count from 50 on: "[1m]" is a window.
[[nodiscard]] std::optional<double> billions_of_parameters(std::string_view model);

}  // namespace ctxmgr
