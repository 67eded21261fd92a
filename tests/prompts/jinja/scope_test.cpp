#include "prompts/jinja/scope.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::jinja {
namespace {

class TemplateScopeTest : public ::testing::Test {
 protected:
  LoadKind kind_of(const std::string& name) {
    const Scope scope(program_, root_, nullptr, {"parameter"}, uses_);
    const auto place = scope.find(name);
    for (const Load& load : scope.loads()) {
      if (place && load.slot == place.slot) return load.kind;
    }
    return LoadKind::alias;
  }

  Program program_;
  Function root_;
  Uses uses_;
};

TEST_F(TemplateScopeTest, WhatIsReadFirstIsLookedUpAndWhatIsSetFirstIsNot) {
  add_use(uses_, "read", Use::read);
  add_use(uses_, "read", Use::set);
  add_use(uses_, "set", Use::set);
  add_use(uses_, "set", Use::read);
  add_use(uses_, "parameter", Use::read);
  EXPECT_EQ(kind_of("read"), LoadKind::resolve);
  EXPECT_EQ(kind_of("set"), LoadKind::undefined);
  EXPECT_EQ(kind_of("parameter"), LoadKind::parameter);
  EXPECT_FALSE(Scope(program_, root_, nullptr, {}, uses_).find("neither"));
}

TEST_F(TemplateScopeTest, WhatOnlySomeBranchesSetIsLookedUp) {
  add_branches(uses_, {{{"some", Use::set}}, {}});
  add_branches(uses_, {{{"every", Use::read_then_set}}, {{"every", Use::set}}});
  EXPECT_EQ(kind_of("some"), LoadKind::resolve);
  EXPECT_EQ(kind_of("every"), LoadKind::undefined);
}

TEST_F(TemplateScopeTest, AnInnerScopeStartsWithTheOuterValueOfWhatItSets) {
  const Scope outer(program_, root_, nullptr, {}, {{"x", Use::set}, {"y", Use::set}});
  const Scope inner(program_, root_, &outer, {}, {{"x", Use::set}, {"y", Use::read}});
  ASSERT_EQ(inner.loads().size(), 1U);
  EXPECT_EQ(inner.loads()[0].kind, LoadKind::alias);
  EXPECT_NE(inner.find("x").slot, outer.find("x").slot);
  EXPECT_EQ(inner.find("y").slot, outer.find("y").slot);
}

TEST_F(TemplateScopeTest, WhatIsLookedUpIsKnownToTheProgram) {
  (void)Scope(program_, root_, nullptr, {}, {{"x", Use::read}, {"y", Use::set}});
  EXPECT_EQ(program_.looked_up, std::set<std::string>{"x"});
}

}  // namespace
}  // namespace ctxmgr::jinja
