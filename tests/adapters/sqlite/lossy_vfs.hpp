#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ctxmgr::testing {

/// A SQLite VFS in front of the machine's that knows what a power cut would leave: of each file, what was synchronised,
/// and of the writes since then any subset. Registered as the default while it lives; one at a time, one thread.
class LossyVfs {
 public:
  explicit LossyVfs(std::uint32_t seed);
  LossyVfs(const LossyVfs&) = delete;
  LossyVfs& operator=(const LossyVfs&) = delete;
  ~LossyVfs();

  /// The power fails after so many writes, truncations and synchronisations from now.
  void cut_power_after(int operations);

  /// The disk fails after so many of them, once or from then on: writes with `code`, synchronisations with
  /// SQLITE_IOERR_FSYNC.
  enum class Failing { once, forever };
  void fail_after(int operations, Failing how, int code = SQLITE_IOERR_WRITE);
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  /// The files as they were found after the cut, by path; nullopt while it has not come.
  [[nodiscard]] const std::optional<std::map<std::string, std::string>>& left() const { return left_; }

  /// What the program had been told was done when the power failed.
  int acknowledged = 0;
  int acknowledged_at_cut = 0;

 private:
  friend struct LossyFile;
  struct Change {
    std::int64_t offset;
    std::string bytes;
    bool truncates;  // to `offset`
  };
  struct State {
    std::string synced;
    std::vector<Change> pending;
  };

  static void apply(std::string& content, const Change& change);
  int note(const std::string& path, Change change);
  int sync(const std::string& path);
  bool fails();
  void tick();

  std::mt19937 random_;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  std::map<std::string, State> files_;
  int operations_left_ = -1;
  int good_operations_left_ = -1;
  Failing failing_ = Failing::once;
  int failure_ = SQLITE_OK;
  bool has_failed_ = false;
  std::optional<std::map<std::string, std::string>> left_;
};

}  // namespace ctxmgr::testing
