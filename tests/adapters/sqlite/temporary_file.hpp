#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ctxmgr::testing {

/// A directory of its own, removed at the end. In memory where the machine has such a place: the tests ask for many
/// synchronised writes.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const std::filesystem::path memory = "/dev/shm";
    const auto base = ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    auto pattern = (base / "ctxmgr-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace ctxmgr::testing
