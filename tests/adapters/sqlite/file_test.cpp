#include "adapters/sqlite/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "adapters/sqlite/temporary_file.hpp"

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

TEST_F(SqliteFileTest, SaysWhatIsWrongWithAPath) {
  EXPECT_EQ(code_of(""), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(std::string("a\0b", 3)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(directory_.file("")), ErrorCode::invalid_argument) << "a directory";
  EXPECT_EQ(code_of(directory_.file("no/such/a.db")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("/dev/null"), ErrorCode::invalid_argument) << "a device";
}

}  // namespace
}  // namespace ctxmgr::sqlite
