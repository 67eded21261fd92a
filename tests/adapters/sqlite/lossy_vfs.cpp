#include "adapters/sqlite/lossy_vfs.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace ctxmgr::testing {

/// What SQLite holds for an open file; the real one follows it in memory.
struct LossyFile {
  sqlite3_file base;
  LossyVfs* vfs;
  std::string* path;

  static LossyFile& of(sqlite3_file* file) { return *reinterpret_cast<LossyFile*>(file); }
  static sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(LossyFile));
  }

  static int close(sqlite3_file* file) {
    delete of(file).path;
    return real(file)->pMethods->xClose(real(file));
  }
  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
    return real(file)->pMethods->xRead(real(file), to, size, at);
  }
  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
    auto& self = of(file);
    const int code = self.vfs->note(
        *self.path, {at, std::string(static_cast<const char*>(from), static_cast<std::size_t>(size)), false});
    if (code != SQLITE_OK) return code;
    return real(file)->pMethods->xWrite(real(file), from, size, at);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    auto& self = of(file);
    if (const int code = self.vfs->note(*self.path, {size, {}, true}); code != SQLITE_OK) return code;
    return real(file)->pMethods->xTruncate(real(file), size);
  }
  static int sync(sqlite3_file* file, int flags) {
    auto& self = of(file);
    if (const int code = self.vfs->sync(*self.path); code != SQLITE_OK) return code;
    return real(file)->pMethods->xSync(real(file), flags);
  }
  static int size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
  static int lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
  static int unlock(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
  static int check_lock(sqlite3_file* file, int* out) {
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
  }
  static int sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
  // Promises nothing: the real file system may claim that writes are atomic.
  static int characteristics(sqlite3_file*) { return 0; }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags);
};

namespace {

sqlite3_io_methods methods() {
  sqlite3_io_methods m{};
  m.iVersion = 1;
  m.xClose = LossyFile::close;
  m.xRead = LossyFile::read;
  m.xWrite = LossyFile::write;
  m.xTruncate = LossyFile::truncate;
  m.xSync = LossyFile::sync;
  m.xFileSize = LossyFile::size;
  m.xLock = LossyFile::lock;
  m.xUnlock = LossyFile::unlock;
  m.xCheckReservedLock = LossyFile::check_lock;
  m.xFileControl = LossyFile::control;
  m.xSectorSize = LossyFile::sector;
  m.xDeviceCharacteristics = LossyFile::characteristics;
  return m;
}

}  // namespace

int LossyFile::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  static const auto table = methods();
  auto* self = new (file) LossyFile{{nullptr}, static_cast<LossyVfs*>(vfs->pAppData), nullptr};
  auto* const under = static_cast<LossyVfs*>(vfs->pAppData)->real_;
  const int code = under->xOpen(under, name, real(file), flags, out_flags);
  if (code != SQLITE_OK) return code;
  self->path = new std::string(name ? name : "");
  self->base.pMethods = &table;
  return code;
}

LossyVfs::LossyVfs(std::uint32_t seed) : random_(seed), real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.zName = "lossy";
  vfs_.szOsFile = static_cast<int>(sizeof(LossyFile)) + real_->szOsFile;
  vfs_.pAppData = this;
  vfs_.pNext = nullptr;
  vfs_.xOpen = LossyFile::open;
  vfs_.xDelete = [](sqlite3_vfs* vfs, const char* name, int sync_directory) {
    auto* self = static_cast<LossyVfs*>(vfs->pAppData);
    self->files_.erase(name);
    return self->real_->xDelete(self->real_, name, sync_directory);
  };
  sqlite3_vfs_register(&vfs_, 1);
}

LossyVfs::~LossyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, 1);
}

void LossyVfs::cut_power_after(int operations) {
  left_.reset();
  operations_left_ = operations;
}

void LossyVfs::fail_after(int operations, Failing how, int code) {
  good_operations_left_ = operations;
  failing_ = how;
  failure_ = code;
  has_failed_ = false;
}

bool LossyVfs::fails() {
  if (good_operations_left_ < 0) return failing_ == Failing::forever && has_failed_;
  if (good_operations_left_-- > 0) return false;
  return has_failed_ = true;
}

void LossyVfs::apply(std::string& content, const Change& change) {
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.truncates) return content.resize(std::min(content.size(), offset));
  if (content.size() < offset + change.bytes.size()) content.resize(offset + change.bytes.size());
  std::memcpy(content.data() + offset, change.bytes.data(), change.bytes.size());
}

int LossyVfs::note(const std::string& path, Change change) {
  if (fails()) return failure_;
  files_[path].pending.push_back(std::move(change));
  tick();
  return SQLITE_OK;
}

int LossyVfs::sync(const std::string& path) {
  if (fails()) return SQLITE_IOERR_FSYNC;
  auto& state = files_[path];
  for (const auto& change : state.pending) apply(state.synced, change);
  state.pending.clear();
  tick();
  return SQLITE_OK;
}

void LossyVfs::tick() {
  if (operations_left_ < 0 || operations_left_-- > 0) return;
  auto& left = left_.emplace();
  for (const auto& [path, state] : files_) {
    auto content = state.synced;
    for (const auto& change : state.pending) {
      if (random_() % 2 == 0) apply(content, change);
    }
    left[path] = content;
  }
  acknowledged_at_cut = acknowledged;
}

}  // namespace ctxmgr::testing
