#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "account.hpp"
#include "tools/character_counter.hpp"

namespace ctxpack::test {

/// A short run, and a model whose prices are round.
class PricedRunTest : public ::testing::Test {
 protected:
  PricedRunTest() {
    scale.model.input_usd_per_token = 1.0;
    scale.model.cached_input_usd_per_token = 0.1;
    scale.model.min_cached_prefix_tokens = 10;
    scale.budget = 100;
    run.messages = {{ctxmgr::Role::system, "0123456789"},
                    {ctxmgr::Role::user, "task"},
                    {ctxmgr::Role::assistant, "one"},
                    {ctxmgr::Role::user, "on"},
                    {ctxmgr::Role::assistant, "two"}};
    resize();
  }

  void resize() { scale.wants = Wants(run.messages.size()); }

  void want(std::size_t step, Wanted wanted) {
    scale.wants.by_step[step].push_back(scale.wants.add(std::move(wanted)));
  }

  CharacterCounter counter;
  RecordedRun run;
  Scale scale;
};

}  // namespace ctxpack::test
