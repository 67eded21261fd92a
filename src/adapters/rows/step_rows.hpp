#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/conversation_store.hpp"

/// \file
/// How what was sent at a step is written into database rows: the same bytes in SQLite, PostgreSQL and MariaDB.
/// Frozen (v1).
namespace ctxmgr::conversation {

/// A row of `workflow_steps`, and the texts that it refers to.
struct StepRow {
  std::int64_t step_number = 0;
  std::string agent{};
  std::int64_t created_at = 0;
  std::int64_t last_sequence = 0;
  std::string thread_state{};
  std::string messages{};      ///< What was sent, in order: "1-40 42 =<hash> 43", and last "?<hash>" for a receipt.
  std::string content_hash{};  ///< 16 hex digits over everything above.
};

/// Texts by their SHA-256.
using TextsByHash = std::map<std::string, std::string>;

[[nodiscard]] StepRow to_step_row(const SentContext& sent, std::int64_t step_number);
[[nodiscard]] TextsByHash texts_of(const SentContext& sent);

/// The hashes that a step refers to, each once.
[[nodiscard]] Result<std::vector<std::string>> hashes_of(const StepRow& row);

/// `bad_data` where the row or a text was damaged, or a text is missing.
[[nodiscard]] Result<SentContext> from_step_row(const StepRow& row, const TextsByHash& texts);

}  // namespace ctxmgr::conversation
