#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/core/timestamp.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/token_counter.hpp"

namespace ctxmgr {

/// Whose memory it is, where it is kept, and how large it may get.
struct MemoryOptions {
  std::string user{};                      ///< Opaque bytes, 1 to 128. No user reads another's memory.
  std::shared_ptr<KeyValueStore> store{};  ///< Any; a memory lives as long as its store keeps it.

  std::size_t max_files = 200;                         ///< The most files that may be there; 1 000 at most.
  std::size_t max_file_bytes = std::size_t{64} << 10;  ///< The most bytes of a file; 1 MiB at most.
  std::size_t max_bytes = std::size_t{1} << 20;        ///< The most bytes of all files together.
  std::size_t max_changes = 100;                       ///< How many changes are remembered, at most 1 000. 0: none.
  std::int64_t max_result_tokens = 4'000;              ///< Most tokens of an answer, at least 200; more come in parts.
  std::shared_ptr<TokenCounter> token_counter{};       ///< Null: estimates.
  std::shared_ptr<Clock> clock{};                      ///< Says when something was changed. Null: the machine's.
};

/// One change of one file, with the former text: enough to take it back.
struct MemoryChange {
  std::int64_t number = 0;  ///< Counts from 1, in the order of the changes.
  Timestamp at{};
  std::string command{};                ///< "create", "str_replace", "insert", "delete" or "rename".
  std::string path{};                   ///< The file that was changed; of a rename, the one that is gone.
  std::string new_path{};               ///< Set for a rename only.
  std::optional<std::string> before{};  ///< The text that was changed or deleted. None: there was no file.
};

}  // namespace ctxmgr
