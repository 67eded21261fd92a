#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "ctxmgr/ctxmgr.hpp"

namespace ctxmgr {
namespace {

/// Everything that has tables or caches of its own behind it.
bool works() {
  Context context;
  context.conversation_history = {{Role::user, "Where is the heron?"}};
  context.artifacts = {make_document("birds.md", "# Birds\n\nThe heron stands in the reeds.")};
  const auto built = ContextManager().build(context, {});
  return built && built->messages.size() == 2 && ModelCatalog().find("gpt-4o").known;
}

/// Constructed before main(), when the library's own statics may not be.
const bool worked_before_main = works();

TEST(LifetimeTest, WorksBeforeMain) { EXPECT_TRUE(worked_before_main); }

/// Destroyed after whatever the library has made since.
struct Late {
  ~Late() { std::fputs(works() ? "worked at exit" : "did not work", stderr); }
};

TEST(LifetimeTest, WorksWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static const Late late;
        (void)works();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "worked at exit");
}

}  // namespace
}  // namespace ctxmgr
