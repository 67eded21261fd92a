#include "serve/threads.hpp"

#include <gtest/gtest.h>

namespace ctxpack::serve::test {
namespace {

/// Fails at everything.
class BrokenStore final : public ctxmgr::KeyValueStore {
 public:
  static tl::unexpected<ctxmgr::Error> broken() { return ctxmgr::fail(ctxmgr::ErrorCode::unavailable, "broken"); }
  ctxmgr::Result<std::vector<std::optional<ctxmgr::StoredValue>>> read(std::string_view,
                                                                       const std::vector<std::string>&,
                                                                       const ctxmgr::CallOptions&) override {
    return broken();
  }
  ctxmgr::Result<std::uint64_t> write(std::string_view, const std::vector<ctxmgr::KeyValueWrite>&,
                                      const ctxmgr::CallOptions&) override {
    return broken();
  }
  ctxmgr::Result<std::vector<ctxmgr::KeyInfo>> list(std::string_view, std::string_view, std::string_view, std::size_t,
                                                    const ctxmgr::CallOptions&) override {
    return broken();
  }
  ctxmgr::Result<void> erase_namespace(std::string_view, const ctxmgr::CallOptions&) override { return broken(); }
};

TEST(ThreadsTest, WhatIsRememberedIsThereForTheNextRequest) {
  const Threads threads(ctxmgr::make_memory_key_value_store());
  threads.remember("a", {"state of a"});
  ctxmgr::BuildRequest request;
  threads.prepare("a", request);
  EXPECT_EQ(request.thread_state.opaque, "state of a");
  EXPECT_EQ(request.scope, "a");
  EXPECT_EQ(request.archive, nullptr);
  request.archive = threads.session("a");
  EXPECT_NE(request.archive, nullptr);
  ctxmgr::BuildRequest other;
  threads.prepare("b", other);
  EXPECT_EQ(other.thread_state.opaque, "");
  threads.keep_receipt("r", "{}");
  EXPECT_EQ(threads.receipt("r").value_or(""), "{}");
  EXPECT_EQ(threads.receipt("none").error().code, ctxmgr::ErrorCode::not_found);
}

TEST(ThreadsTest, WhatAServiceCountsIsLearnedInStepsAndKeptForTheNextStart) {
  const std::shared_ptr<ctxmgr::KeyValueStore> store = ctxmgr::make_memory_key_value_store();
  EXPECT_EQ(Threads(store).calibration("o", "m"), 1.0);
  Threads(store).learn("o", "m", 100, 190);
  EXPECT_EQ(Threads(store).calibration("o", "m"), 1.0) << "too small to tell";
  Threads(store).learn("o", "m", 1'000, 1'300);
  EXPECT_NEAR(Threads(store).calibration("o", "m"), 1.3, 0.001) << "the first that tells";
  Threads(store).learn("o", "m", 1'000, 1'500);
  EXPECT_NEAR(Threads(store).calibration("o", "m"), 1.3, 0.001) << "less than a step";
  for (int i = 0; i < 30; ++i) Threads(store).learn("o", "m", 1'000, 1'500);
  EXPECT_NEAR(Threads(store).calibration("o", "m"), 1.45, 0.06);
  Threads(store).learn("o", "cheap", 1'000, 600);
  EXPECT_EQ(Threads(store).calibration("o", "cheap"), 1.0) << "less than counted is believed slowly";
  EXPECT_EQ(Threads(store).calibration("o", "other"), 1.0);
  ASSERT_TRUE(store->write("ctxpack.calibrations", {{"o m", "nan -7", {}, {}}}, {}));
  EXPECT_EQ(Threads(store).calibration("o", "m"), 1.0);
}

TEST(ThreadsTest, WhatOneOwnersRequestsTeachIsNotBelievedOfAnother) {
  const std::shared_ptr<ctxmgr::KeyValueStore> store = ctxmgr::make_memory_key_value_store();
  Threads(store).learn("ann", "m", 1'000, 2'000);
  EXPECT_NEAR(Threads(store).calibration("ann", "m"), 2.0, 0.001);
  EXPECT_EQ(Threads(store).calibration("bob", "m"), 1.0);
  EXPECT_EQ(Threads(store).calibration("", "ann m"), 1.0) << "no name of a model is another owner's key";
}

TEST(ThreadsTest, ACountUnderHalfIsACutAndTeachesNothing) {
  const Threads threads(ctxmgr::make_memory_key_value_store());
  for (int i = 0; i < 40; ++i) threads.learn("o", "m", 8'000, 2'050);
  EXPECT_EQ(threads.calibration("o", "m"), 1.0);
  EXPECT_TRUE(is_cut(8'000, 2'050));
  EXPECT_FALSE(is_cut(8'000, 4'000));
  EXPECT_FALSE(is_cut(900, 20)) << "too small to tell";
  EXPECT_FALSE(is_cut(8'000, 0)) << "not reported";
}

TEST(ThreadsTest, AStoreThatFailsCostsTheStateAndNotTheRequest) {
  const Threads threads(std::make_shared<BrokenStore>());
  threads.remember("a", {"state"});
  ctxmgr::BuildRequest request;
  threads.prepare("a", request);
  request.archive = threads.session("a");
  threads.learn("o", "m", 1'000, 1'300);
  EXPECT_EQ(threads.calibration("o", "m"), 1.0);
  EXPECT_EQ(request.thread_state.opaque, "");
  EXPECT_EQ(threads.receipt("r").error().code, ctxmgr::ErrorCode::unavailable);
}

}  // namespace
}  // namespace ctxpack::serve::test
