#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "ctxmgr/c/ctxmgr.h"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/ports/key_value_store.hpp"
#include "ctxmgr/ports/token_counter.hpp"

struct ctxmgr_manager {
  ctxmgr::ContextManager manager;
  ctxmgr::ModelCatalog catalog;
  std::vector<std::shared_ptr<ctxmgr::TokenCounter>> counters;
  std::shared_ptr<ctxmgr::KeyValueStore> store;
};

namespace ctxmgr::c {

/// From the options of the JSON, and what the host has of its own.
[[nodiscard]] Result<std::unique_ptr<ctxmgr_manager>> make_manager(std::string_view options,
                                                                   const ctxmgr_callbacks& callbacks);

}  // namespace ctxmgr::c
