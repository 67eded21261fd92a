#include "adapters/bpe/normal_form.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "adapters/bpe/char_class.hpp"

namespace ctxmgr::bpe {

std::string normal_form_c(std::string_view text) {
  std::string repaired = repair_utf8(text);
  const bool is_ascii =
      std::all_of(repaired.begin(), repaired.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii) return repaired;
  utf8proc_uint8_t* composed = nullptr;
  const auto bytes = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(repaired.data()),
                                  static_cast<utf8proc_ssize_t>(repaired.size()), &composed,
                                  static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (bytes < 0) return repaired;  // out of memory, or over 2 GiB
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(bytes)};
}

}  // namespace ctxmgr::bpe
