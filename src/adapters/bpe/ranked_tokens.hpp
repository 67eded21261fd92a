#pragma once
#include <string>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

/// A vocabulary from tokens in the order of their ranks, of which the first 256 are the bytes. The merge of each is
/// found by encoding it with the ranks below its own. `bad_data` where a token cannot be reached so.
Result<Vocabulary> make_vocabulary(const std::vector<std::string>& tokens);

}  // namespace ctxmgr::bpe
