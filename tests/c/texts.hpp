#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "ctxmgr/c/ctxmgr.h"

namespace ctxmgr::testing {

/// Takes over a text of the library.
inline std::string take(ctxmgr_text* text) {
  std::string copy(ctxmgr_text_data(text), ctxmgr_text_size(text));
  ctxmgr_text_free(text);
  return copy;
}

inline nlohmann::json message(const std::string& role, const std::string& content) {
  return {{"role", role}, {"content", content}};
}

}  // namespace ctxmgr::testing
