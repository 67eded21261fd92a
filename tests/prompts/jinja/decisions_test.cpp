#include "prompts/jinja/decisions.hpp"

#include <gtest/gtest.h>

#include "ctxmgr/prompts/prompt_template.hpp"

namespace ctxmgr {
namespace {

using Names = std::set<std::string>;

Names decided(std::string_view source) { return PromptTemplate::parse(source).value().decides_by({"tier", "notes"}); }

TEST(TemplateDecisionsTest, ConditionsComparisonsTestsAndLoopsDecide) {
  EXPECT_EQ(decided("{% if tier == 'gold' %}a{% elif notes %}b{% endif %}"), (Names{"notes", "tier"}));
  EXPECT_EQ(decided("{{ tier or 'none' }}"), Names{"tier"});
  EXPECT_EQ(decided("{{ 'a' if 'x' in notes else 'b' }}"), Names{"notes"});
  EXPECT_EQ(decided("{% for word in notes.split() %}{{ word }}{% endfor %}"), Names{"notes"});
  EXPECT_EQ(decided("{% for i in [1] if tier %}{{ i }}{% endfor %}"), Names{"tier"});
  EXPECT_EQ(decided("{% if tier|length > 3 %}a{% endif %}"), Names{"tier"});
}

TEST(TemplateDecisionsTest, AValueIsFollowedThroughVariables) {
  EXPECT_EQ(decided("{% set t = tier|upper %}{% if t == 'GOLD' %}a{% endif %}"), Names{"tier"});
  EXPECT_EQ(decided("{% with n = notes %}{% if n %}a{% endif %}{% endwith %}"), Names{"notes"});
  EXPECT_EQ(decided("{% set tier = 1 %}{% if tier %}a{% endif %}"), Names{});
}

TEST(TemplateDecisionsTest, WhatIsOnlyShownOrAskedForDecidesNothing) {
  EXPECT_EQ(decided("{{ tier }} {{ notes|upper }} {% if tier is defined %}{{ tier }}{% endif %}"), Names{});
  EXPECT_EQ(decided("{% if other %}{{ tier }}{% endif %}"), Names{});
}

}  // namespace
}  // namespace ctxmgr
