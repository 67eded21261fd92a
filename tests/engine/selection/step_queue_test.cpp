#include "engine/selection/step_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ctxmgr::engine {
namespace {

TEST(StepQueueTest, OfEqualStepsTheFirstInTheTextComesFirst) {
  StepQueue queue;
  queue.push_all({{1, 0, 2}, {1, 0, 1}, {2, 1, 0}});
  queue.push({1, 0, 0});
  std::vector<std::size_t> atoms;
  while (!queue.empty()) atoms.push_back(queue.pop().atom);
  EXPECT_EQ(atoms, (std::vector<std::size_t>{0, 0, 1, 2}));
}

RC_GTEST_PROP(StepQueuePropertyTest, GivesTheBestOfWhatIsThereWhateverCameTogether, ()) {
  StepQueue queue;
  std::vector<Step> there;
  std::size_t atom = 0;
  for (const auto& densities : *rc::gen::arbitrary<std::vector<std::vector<std::uint8_t>>>()) {
    std::vector<Step> steps;
    for (const auto density : densities) steps.push_back({static_cast<double>(density), 0, atom++});
    there.insert(there.end(), steps.begin(), steps.end());
    if (steps.size() == 1)
      queue.push(steps[0]);
    else
      queue.push_all(steps);
    if (there.empty()) continue;
    const auto best = std::max_element(there.begin(), there.end());
    RC_ASSERT(queue.pop().atom == best->atom);
    there.erase(best);
  }
  for (; !there.empty(); there.pop_back()) (void)queue.pop();
  RC_ASSERT(queue.empty());
}

}  // namespace
}  // namespace ctxmgr::engine
