#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::refused;
using testing::rendered;

TEST(TemplateUndeclaredTest, WhatAMacroGetsBesideItsParametersIsNotSupported) {
  for (const std::string name : {"varargs", "kwargs", "caller"}) {
    EXPECT_EQ(rendered("a\n{% macro m() %}{{ " + name + " }}{% endmacro %}"),
              "error: invalid_argument: line 2, column 4: '" + name + "' of a macro is not supported");
  }
  EXPECT_TRUE(refused("{% macro m(caller=1) %}{% endmacro %}"));
}

TEST(TemplateUndeclaredTest, AMacroMaySetSuchANameItself) {
  EXPECT_EQ(rendered("{% macro m() %}{% set varargs = 1 %}{{ varargs }}{% endmacro %}{{ m() }}"), "1");
  EXPECT_EQ(rendered("{% macro m(kwargs) %}{{ kwargs }}{% endmacro %}{{ m(2) }}"), "2");
}

}  // namespace
}  // namespace ctxmgr
