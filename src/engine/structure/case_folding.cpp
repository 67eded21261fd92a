#include "engine/structure/case_folding.hpp"

#include <utf8proc.h>

#include <cstdlib>

#include "core/utf8.hpp"

namespace ctxmgr::engine {

std::string fold_case(std::string_view text) {
  auto repaired = utf8::repair(text);
  utf8proc_uint8_t* mapped = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(repaired.data()), static_cast<utf8proc_ssize_t>(repaired.size()),
      &mapped, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
  if (length < 0) return repaired;
  std::string out(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
  std::free(mapped);
  return out;
}

}  // namespace ctxmgr::engine
