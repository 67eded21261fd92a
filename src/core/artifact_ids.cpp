#include "core/artifact_ids.hpp"

#include <cstddef>

namespace ctxmgr {
namespace {

constexpr std::size_t max_id_part = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

}  // namespace

std::string id_part(std::string_view name) {
  std::string out(name.substr(0, max_id_part));
  for (char& c : out) c = is_plain(c) ? c : '_';
  return out;
}

std::string UniqueIds::make(std::string wanted) {
  if (reserve(wanted)) return wanted;
  for (std::size_t number = 2;; ++number) {
    std::string id = wanted + "_" + std::to_string(number);
    if (reserve(id)) return id;
  }
}

}  // namespace ctxmgr
