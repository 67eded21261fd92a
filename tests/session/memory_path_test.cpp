#include "session/memory_path.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr::session {
namespace {

TEST(MemoryPathTest, PathsUnderTheMemoryAreTakenWithoutTheirLastSlash) {
  EXPECT_EQ(memory_path("/memories"), "/memories");
  EXPECT_EQ(memory_path("/memories/"), "/memories");
  EXPECT_EQ(memory_path("/memories/kunde/müller v2.md"), "/memories/kunde/müller v2.md");
  EXPECT_EQ(memory_path("/memories/.hidden/a..b/100%"), "/memories/.hidden/a..b/100%");
}

TEST(MemoryPathTest, WhateverLeadsElsewhereIsRefused) {
  for (const auto* const path :
       {"", "/", "memories/a", "/memoriesx", "/etc/passwd", "/memories/../etc/passwd", "/memories/a/..",
        "/memories/./a", "/memories//a", "/memories/a//", "/memories/%2e%2e/a", "/memories/a%2Fb", "/memories/a%5cb",
        "/memories/..\\..\\a", "/memories/a\nb", "/memories/\xff"}) {
    EXPECT_FALSE(memory_path(path)) << path;
  }
  EXPECT_FALSE(memory_path("/memories/" + std::string(600, 'a')));
}

TEST(MemoryPathTest, WhatIsTakenLiesUnderTheMemoryAndStaysAsItIs) {
  const auto text = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/.%2ef5C\\\n\x7f\xc3")));
  EXPECT_TRUE(rc::check([&] {
    const auto path = memory_path("/memories/" + *text);
    if (!path) return;
    RC_ASSERT(*path == memory_root || is_below(*path, memory_root));
    RC_ASSERT(memory_path(*path) == *path);
    RC_ASSERT(("/" + *path + "/").find("/../") == std::string::npos);
  }));
}

}  // namespace
}  // namespace ctxmgr::session
