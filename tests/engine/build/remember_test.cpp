#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

using testing::words;

class BuildRememberTest : public testing::BuildTest {
 protected:
  std::vector<std::int64_t> thresholds_;

  void observe_thresholds() {
    options_.observer = make_observer([this](const Event& event) {
      if (event.kind == EventKind::budget_threshold)
        thresholds_.push_back(std::get<std::int64_t>(event.fields[0].value));
    });
  }
};

TEST_F(BuildRememberTest, AGrowingThreadIsReportedOnceAtEachThreshold) {
  observe_thresholds();
  say(Role::user, "start");
  for (int turn = 0; turn < 60; ++turn) {
    const auto built = build(1'000);
    ASSERT_TRUE(built);
    if (built->metadata.messages_excluded > 0) break;
    request_.thread_state = built->thread_state;
    say(Role::assistant, words(10));
  }
  EXPECT_EQ(thresholds_, (std::vector<std::int64_t>{70, 85, 95}));
}

}  // namespace
}  // namespace ctxmgr
