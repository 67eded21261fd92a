#include "http/body_buffers.hpp"

#include <gtest/gtest.h>

namespace ctxpack::http::test {
namespace {

constexpr std::size_t megabyte = 1'000'000;

TEST(BodyBuffersTest, TheNewestThatIsLargeEnoughIsUsedAgain) {
  BodyBuffers buffers(10 * megabyte);
  auto small = buffers.take(megabyte);
  auto large = buffers.take(2 * megabyte);
  const auto* const memory = large.data();
  large = "what a request said";
  large.reserve(2 * megabyte);
  const auto* const grown = large.data();
  buffers.give_back(std::move(large));
  buffers.give_back(std::move(small));
  const auto again = buffers.take(2 * megabyte);
  EXPECT_TRUE(again.data() == memory || again.data() == grown);
  EXPECT_EQ(again, "") << "nothing of another request";
}

TEST(BodyBuffersTest, TheOldestGoWhereTheyHaveNoRoom) {
  BodyBuffers buffers(3 * megabyte);
  auto first = buffers.take(megabyte);
  auto second = buffers.take(2 * megabyte);
  const auto* const memory = second.data();
  buffers.give_back(std::move(first));
  buffers.give_back(std::move(second));
  const auto kept = buffers.take(megabyte);
  EXPECT_EQ(kept.data(), memory);
  buffers.give_back(buffers.take(4 * megabyte));
  EXPECT_LT(buffers.take(megabyte).capacity(), 2 * megabyte) << "one that is too large is not kept";
}

}  // namespace
}  // namespace ctxpack::http::test
