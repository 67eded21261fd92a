#pragma once
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace ctxmgr::testing {

/// A text that is nowhere in the clear until it is asked for, and how often it stands on the heap.
class HeapCanary {
 public:
  HeapCanary() {
    for (char& c : scrambled_) c = static_cast<char>(~c);
  }

  /// Behind other letters, since the allocator overwrites the beginning of a freed block. There must be room for it: a
  /// text that grows leaves copies behind.
  void append_to(std::string& text) const {
    text += "0123456789abcdef0123456789abcdef";
    for (const char c : scrambled_) text += static_cast<char>(~c);
  }

  /// The stack does not count: the dynamic linker saves vector registers there, and with them what was copied last.
  [[nodiscard]] std::size_t occurrences_on_heap() const {
    std::size_t found = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t begin = 0;
      std::uintptr_t end = 0;
      if (line.find("[heap]") == std::string::npos) continue;
      if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
      const auto* const last = reinterpret_cast<const char*>(end - scrambled_.size());
      for (const auto* at = reinterpret_cast<const char*>(begin); at <= last; ++at) {
        std::size_t same = 0;
        while (same < scrambled_.size() && at[same] == static_cast<char>(~scrambled_[same])) ++same;
        if (same == scrambled_.size()) ++found;
      }
    }
    return found;
  }

 private:
  std::string scrambled_ = "the-tail-of-a-key-that-nobody-else-has";
};

}  // namespace ctxmgr::testing
