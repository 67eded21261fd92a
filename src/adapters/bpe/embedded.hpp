#pragma once
#include <string_view>

#include "adapters/bpe/tokenizer.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A tokenizer whose vocabulary is compiled in; `not_found` for other names.
Result<Tokenizer> load_embedded(std::string_view name);

}  // namespace ctxmgr::bpe
