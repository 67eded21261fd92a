#pragma once
#include <string>
#include <string_view>

namespace ctxmgr::bpe {

/// UTF-8 in normal form C, which some tokenizers ask for; repaired first where it is malformed.
std::string normal_form_c(std::string_view text);

}  // namespace ctxmgr::bpe
