#include "prompts/jinja/scope.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::jinja {
namespace {

class TemplateScopeTest : public ::testing::Test {
 protected:
  LoadKind kind_of(const std::string& name) {
    const auto place = scope_.find(name);
    for (const Load& load : scope_.loads(program_, root_)) {
      if (place && load.slot == place->slot) return load.kind;
    }
    return LoadKind::parameter;
  }
  void branches(std::initializer_list<const char*> stored) {
    scope_.branch(
        [&](std::size_t i) {
          if (const auto* name = stored.begin()[i]; name != nullptr) scope_.store(name);
        },
        stored.size());
  }

  Program program_;
  Function root_;
  Scope scope_{root_, nullptr, "0 "};
};

TEST_F(TemplateScopeTest, WhatIsReadFirstIsLookedUpAndWhatIsSetFirstIsNot) {
  scope_.load("read");
  scope_.store("read");
  scope_.store("set");
  EXPECT_EQ(kind_of("read"), LoadKind::resolve);
  EXPECT_EQ(kind_of("set"), LoadKind::undefined);
  EXPECT_FALSE(scope_.find("neither"));
}

TEST_F(TemplateScopeTest, WhatOnlySomeBranchesSetIsLookedUp) {
  branches({"some", nullptr});
  branches({"every", "every"});
  EXPECT_EQ(kind_of("some"), LoadKind::resolve);
  EXPECT_EQ(kind_of("every"), LoadKind::undefined);
}

TEST_F(TemplateScopeTest, AnInnerScopeStartsWithTheOuterValueOfWhatItSets) {
  scope_.store("x");
  Scope inner(root_, &scope_, "1 ");
  inner.store("x");
  const auto loads = inner.loads(program_, root_);
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].kind, LoadKind::alias);
  EXPECT_NE(inner.find("x")->slot, scope_.find("x")->slot);
}

}  // namespace
}  // namespace ctxmgr::jinja
