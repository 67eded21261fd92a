#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::http {

/// Overwrites the text, also where an optimiser thinks that nobody will look.
void wipe(char* text, std::size_t size);
inline void wipe(std::string& text) { wipe(text.data(), text.size()); }

/// Values that must not get into messages, wiped with it.
class Secrets {
 public:
  Secrets() = default;
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;
  Secrets(Secrets&&) = default;
  Secrets& operator=(Secrets&&) = delete;
  ~Secrets();

  /// Short ones are words like "true" and are left out.
  void add(std::string_view value);

  [[nodiscard]] std::string redacted(std::string text) const;

 private:
  std::vector<std::string> values_;
};

}  // namespace ctxmgr::http
