#include "adapters/sqlite/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ctxmgr::sqlite {
namespace {

tl::unexpected<Error> fail_with_errno(int error, const char* doing) {
  const auto code = [error] {
    switch (error) {
      case EACCES:
      case EPERM:
      case EROFS: return ErrorCode::denied;
      case ENOSPC:
      case EDQUOT: return ErrorCode::limit_exceeded;
      case EMFILE:
      case ENFILE:
      case EIO: return ErrorCode::unavailable;
      default: return ErrorCode::invalid_argument;
    }
  }();
  return fail(code, std::string("sqlite: ") + doing + ": " + std::generic_category().message(error));
}

/// Created elsewhere, closed, and then given its name: at no time is the named file open here.
Result<void> create(const std::string& path) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return fail_with_errno(errno, "creating the file, whose folder has to be there and writable");
  ::close(file);
  const int linked = ::link(temporary.c_str(), path.c_str());
  const int error = errno;
  ::unlink(temporary.c_str());
  if (linked != 0 && error != EEXIST) return fail_with_errno(error, "creating the file");
  return {};
}

bool is_network_file_system(const std::string& path) {
  // linux/magic.h: NFS, SMB, CIFS, SMB2. Their locks are not to be trusted with a database.
  constexpr std::array magics = {0x6969ul, 0x517Bul, 0xFF534D42ul, 0xFE534D42ul};
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return false;
  for (const auto magic : magics) {
    if ((static_cast<unsigned long>(info.f_type) & 0xFFFFFFFFul) == magic) return true;
  }
  return false;
}

/// Whether the file may be read and written, and journals created beside it (where it really is).
Result<void> check_access(const std::string& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0) {
    if (errno == ENOENT) return {};  // a broken link: SQLite will say so
    return fail_with_errno(errno, "opening the file");
  }
  std::error_code ignored;
  const auto directory = std::filesystem::weakly_canonical(path, ignored).parent_path();
  if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return fail_with_errno(errno, "creating a journal beside the file");
}

}  // namespace

Result<std::string> prepare_file(const std::string& path) {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "sqlite: no path");
  if (path.find('\0') != std::string::npos) return fail(ErrorCode::invalid_argument, "sqlite: NUL in the path");
  std::error_code error;
  // Absolute: it survives a change of directory, and no name has a special meaning to SQLite.
  auto absolute = std::filesystem::absolute(path, error).string();
  if (error) return fail_with_errno(error.value(), "finding the file");
  struct stat info {};
  if (::stat(absolute.c_str(), &info) != 0) {
    if (errno != ENOENT) return fail_with_errno(errno, "finding the file");
    if (auto created = create(absolute); !created) return tl::unexpected(created.error());
  } else if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, "sqlite: the path is no regular file");
  }
  if (auto usable = check_access(absolute); !usable) return tl::unexpected(usable.error());
  if (is_network_file_system(absolute)) {
    return fail(ErrorCode::invalid_argument, "sqlite: the file is on a network file system");
  }
  return absolute;
}

}  // namespace ctxmgr::sqlite
