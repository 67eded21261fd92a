#include "adapters/sqlite/file.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>

#include "adapters/sqlite/temporary_file.hpp"

namespace {
long pretended_file_system = 0;  // 0: none
}

/// In the place of the C library's.
extern "C" int statfs(const char* path, struct statfs* info) noexcept {
  using Function = int (*)(const char*, struct statfs*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "statfs"));
  const int result = real(path, info);
  if (pretended_file_system != 0) info->f_type = pretended_file_system;
  return result;
}

namespace ctxmgr::sqlite {
namespace {

class SqliteFileTest : public ::testing::Test {
 protected:
  static ErrorCode code_of(const std::string& path) {
    const auto prepared = prepare_file(path);
    return prepared ? ErrorCode::internal : prepared.error().code;
  }

  static unsigned mode_of(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0;
  }

  /// In a process that has no privileges, and no rights to the directory but to look into it.
  bool as_nobody(const std::function<bool()>& holds) const {
    const bool is_open = ::chmod(directory_.file("").c_str(), 0555) == 0;
    const pid_t child = ::fork();
    if (child == 0) {
      const bool is_nobody = ::geteuid() != 0 || (::setgid(65'534) == 0 && ::setuid(65'534) == 0);
      ::_exit(is_nobody && holds() ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return is_open && status == 0 && ::chmod(directory_.file("").c_str(), 0700) == 0;
  }

  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_.file(""))) ++count;
    return count;
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(SqliteFileTest, CreatesAnEmptyFileForItsOwnerAloneAndNothingBesides) {
  const auto path = directory_.file("a.db");
  EXPECT_EQ(prepare_file(path).value(), path);
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(SqliteFileTest, LeavesAFileThatIsThereAsItIs) {
  const auto path = directory_.file("a.db");
  std::ofstream(path) << "content";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(prepare_file(path));
  EXPECT_EQ(mode_of(path), 0640u);
  EXPECT_EQ(std::filesystem::file_size(path), 7u);
}

TEST_F(SqliteFileTest, ARelativePathBecomesAbsolute) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.file(""));
  const auto prepared = prepare_file("a.db");
  std::filesystem::current_path(before);
  ASSERT_TRUE(prepared);
  EXPECT_TRUE(std::filesystem::path(*prepared).is_absolute());
  EXPECT_TRUE(std::filesystem::exists(directory_.file("a.db")));
}

TEST_F(SqliteFileTest, FollowsALinkAndCreatesNothingBehindABrokenOne) {
  std::ofstream(directory_.file("real.db")) << "";
  std::filesystem::create_symlink(directory_.file("real.db"), directory_.file("link.db"));
  EXPECT_TRUE(prepare_file(directory_.file("link.db")));
  std::filesystem::create_symlink(directory_.file("nowhere/a.db"), directory_.file("broken.db"));
  EXPECT_TRUE(prepare_file(directory_.file("broken.db"))) << "SQLite then says that it cannot be opened";
  EXPECT_FALSE(std::filesystem::exists(directory_.file("nowhere")));
}

TEST_F(SqliteFileTest, RefusesNetworkFileSystems) {
  for (const long nfs_smb_or_cifs : {0x6969L, 0x517BL, 0xFF534D42L, 0xFE534D42L}) {
    pretended_file_system = nfs_smb_or_cifs;
    EXPECT_EQ(code_of(directory_.file("a.db")), ErrorCode::invalid_argument) << nfs_smb_or_cifs;
  }
  pretended_file_system = 0;
  EXPECT_TRUE(prepare_file(directory_.file("a.db")));
}

TEST_F(SqliteFileTest, WhatMayNotBeWrittenIsDenied) {
  const auto existing = directory_.file("a.db");
  std::ofstream(existing) << "";
  ASSERT_EQ(::chmod(existing.c_str(), 0444), 0);
  EXPECT_TRUE(as_nobody([&] { return code_of(existing) == ErrorCode::denied; })) << "may be read only";
  ASSERT_EQ(::chmod(existing.c_str(), 0222), 0);
  EXPECT_TRUE(as_nobody([&] { return code_of(existing) == ErrorCode::denied; })) << "may be written only";
  ASSERT_EQ(::chmod(existing.c_str(), 0666), 0);
  EXPECT_TRUE(as_nobody([&] { return code_of(existing) == ErrorCode::denied; })) << "no journal beside it";
  EXPECT_TRUE(as_nobody([&] { return code_of(directory_.file("new.db")) == ErrorCode::denied; })) << "nor a new file";
}

TEST_F(SqliteFileTest, AReadOnlyFileSystemIsDenied) {
  const auto mount_point = directory_.file("mount");
  ASSERT_EQ(::mkdir(mount_point.c_str(), 0700), 0);
  if (::mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "skipped: cannot mount";
  std::ofstream(mount_point + "/a.db") << "";
  EXPECT_EQ(::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_EQ(code_of(mount_point + "/a.db"), ErrorCode::denied);
  EXPECT_EQ(code_of(mount_point + "/new.db"), ErrorCode::denied);
  ::umount(mount_point.c_str());
}

TEST_F(SqliteFileTest, SaysWhatIsWrongWithAPath) {
  EXPECT_EQ(code_of(""), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(std::string("a\0b", 3)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(directory_.file("")), ErrorCode::invalid_argument) << "a directory";
  EXPECT_EQ(code_of(directory_.file("no/such/a.db")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("/dev/null"), ErrorCode::invalid_argument) << "a device";
}

}  // namespace
}  // namespace ctxmgr::sqlite
