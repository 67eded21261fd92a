#pragma once
#include <string>
#include <string_view>
#include <unordered_set>

namespace ctxmgr {

/// A name as part of an id: ASCII letters, digits, '.', '-' and '_' as they are, all else as '_', at most 64 characters.
[[nodiscard]] std::string id_part(std::string_view name);

/// Hands out ids, each once: the wanted one, else the wanted one with the first free number from 2 on.
class UniqueIds {
 public:
  /// Marks an id as taken; false if it was already.
  bool reserve(const std::string& id) { return taken_.insert(id).second; }

  [[nodiscard]] std::string make(std::string wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace ctxmgr
