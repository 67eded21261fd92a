#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::refused;
using testing::rendered;

TEST(TemplateBinderTest, KeepsAssignmentsOfALoopInside) {
  EXPECT_EQ(rendered("{% set x = 0 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }},{% endfor %}{{ x }}"), "1,2,0");
}

TEST(TemplateBinderTest, CarriesNamespacesOutOfALoop) {
  EXPECT_EQ(
      rendered("{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}"),
      "3");
  EXPECT_TRUE(refused("{% set d = {} %}{% set d.a = 1 %}"));
}

TEST(TemplateBinderTest, HidesTheDataFromALoopBeforeALaterTopLevelAssignment) {
  EXPECT_EQ(rendered("{% for i in [1] %}[{{ x }}]{% endfor %}{% set x = 2 %}{{ x }}", R"({"x": 1})"), "[]2");
}

TEST(TemplateBinderTest, LooksUpANameThatOnlyOneBranchSets) {
  EXPECT_EQ(rendered("{% if false %}{% set x = 2 %}{% endif %}{{ x }}", R"({"x": 1})"), "1");
  EXPECT_EQ(
      rendered("{% for i in [1, 2] %}{% if i == 2 %}{% set x = 9 %}{% endif %}{{ x }}{% endfor %}", R"({"x": 1})"),
      "19");
}

TEST(TemplateBinderTest, EvaluatesWithValuesOutside) {
  EXPECT_EQ(rendered("{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}"), "211");
}

TEST(TemplateBinderTest, LetsMacrosSeeLaterValuesOfOuterVariables) {
  EXPECT_EQ(rendered("{% set x = 1 %}{% macro m() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ m() }}"), "2");
}

TEST(TemplateBinderTest, AnalysesManyBranchesOfManyNamesQuickly) {
  std::string source;
  for (int i = 0; i < 2000; ++i) source += "{{ v" + std::to_string(i) + " }}{% if a %}{% set b = 1 %}{% endif %}";
  EXPECT_EQ(rendered(source), "");
}

TEST(TemplateBinderTest, WhatAMacroGetsBesideItsParametersIsNotSupported) {
  for (const std::string name : {"varargs", "kwargs", "caller"}) {
    EXPECT_EQ(rendered("a\n{% macro m() %}{{ " + name + " }}{% endmacro %}"),
              "error: invalid_argument: line 2, column 4: '" + name + "' of a macro is not supported");
  }
  EXPECT_TRUE(refused("{% macro m(caller=1) %}{% endmacro %}"));
}

TEST(TemplateBinderTest, AMacroMaySetSuchANameItself) {
  EXPECT_EQ(rendered("{% macro m() %}{% set varargs = 1 %}{{ varargs }}{% endmacro %}{{ m() }}"), "1");
  EXPECT_EQ(rendered("{% macro m(kwargs) %}{{ kwargs }}{% endmacro %}{{ m(2) }}"), "2");
}

TEST(TemplateBinderTest, ALoopsVariableHasOneMeaningInIt) {
  EXPECT_EQ(rendered("{% for i in [1] %}{% macro m() %}{{ loop.index }}{% endmacro %}{{ m() }}{% endfor %}{{ loop }}"),
            "1");
  EXPECT_TRUE(refused("{% for i in [1] %}{% with loop = 5 %}{{ loop }}{% endwith %}{{ loop }}{% endfor %}"));
  EXPECT_TRUE(refused("{% for i in [1] %}{% macro m(loop) %}{% endmacro %}{{ loop }}{% endfor %}"));
}

}  // namespace
}  // namespace ctxmgr
